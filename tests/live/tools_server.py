"""A small MCP server on stdio: `run {command}` and `write_file {path, content}`.

    python3 tools_server.py MARKS STUBS

Each use leaves a line in the file MARKS. Commands find the programs of the folder STUBS first.
"""

import json
import os
import subprocess
import sys

MARKS, STUBS = sys.argv[1:3]


def tool(name, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": f"{name} of the lab", "inputSchema": schema}


TEXT = {"type": "string"}
TOOLS = [tool("run", command=TEXT), tool("write_file", path=TEXT, content=TEXT)]


def call(name, arguments):
    if name == "run":
        env = dict(os.environ, PATH=f"{STUBS}:/usr/bin:/bin", LAB_VIA="mcp")
        done = subprocess.run(["/bin/sh", "-c", arguments["command"]], env=env, capture_output=True, text=True)
        return done.stdout + done.stderr or "done"
    with open(MARKS, "a", encoding="utf-8") as marks:
        marks.write(f"mcp: write_file {arguments['path']}\n")
    with open(arguments["path"], "w", encoding="utf-8") as file:
        file.write(arguments["content"])
    return "written"


def answer(method, params):
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        info = {"name": "lab", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text = call(params["name"], params["arguments"])
        return {"content": [{"type": "text", "text": text}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
