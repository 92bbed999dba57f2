"""Stands between an agent and guard-host, and keeps each payload with its reply.

    python3 recorder.py FOLDER GUARD [ARGS of guard-host]
"""

import json
import os
import subprocess
import sys
import time


def text(data):
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")


folder, guard, args = sys.argv[1], sys.argv[2], sys.argv[3:]
payload = sys.stdin.buffer.read()
done = subprocess.run([guard, *args], input=payload, capture_output=True)
record = {
    "payload": text(payload),
    "reply": text(done.stdout),
    "stderr": done.stderr.decode(errors="replace"),
    "code": done.returncode,
    "env": sorted(os.environ),
}
with open(f"{folder}/{time.time_ns()}-{os.getpid()}.json", "w", encoding="utf-8") as file:
    json.dump(record, file)
sys.stdout.buffer.write(done.stdout)
sys.stderr.buffer.write(done.stderr)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
