"""A scripted model on loopback: it answers each turn with the next call of a script, then with "done".

The words of a conversation tell whose it is: `MAIN` stands in the prompt of the agent, and `SUB` in that of its
subagent. Agents have other conversations, too, such as one about a title: these get no calls.
What was handed out and what the model was told is kept, and written as JSON lines.
"""

import gzip
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from wires import wire_of

MAIN, SUB = "LAB-MAIN", "LAB-SUB"
PROMPT = f"please go on with {MAIN}"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # Agents are ended in the middle of things.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Model:
    def __init__(self, log):
        self.log_file = open(log, "a", buffering=1, encoding="utf-8")
        self.schemas = log.with_name("tools.json")
        self.lock = threading.RLock()
        self.play({"main": []})
        self.server = Server(("127.0.0.1", 0), handler(self))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def play(self, scripts, before=None):
        """Begins a run. `before(who, number)` is called before a call is handed out."""
        with self.lock:
            self.scripts, self.before = scripts, before
            self.handed, self.told, self.tools, self.turns = set(), {}, {}, 0
            self.log({"play": scripts})

    def log(self, entry):
        with self.lock:
            self.log_file.write(json.dumps(entry) + "\n")

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.log_file.close()

    def next_calls(self, turn, body):
        """The calls of this turn. What was told is kept for the first time only: agents send all of it again."""
        who = next((who for word, who in ((MAIN, "main"), (SUB, "sub")) if word in turn.opening), None)
        if not who:
            return []
        with self.lock:
            self.turns += 1
            for number, told in enumerate(turn.told):
                if (who, number) not in self.told:
                    self.told[who, number] = told
                    self.log({"told": told.text, "error": told.error, "of": who, "number": number})
            if not turn.tools:
                return []
            if who not in self.tools:
                self.tools[who] = turn.tools
                self.log({"tools": turn.tools, "of": who})
                self.schemas.write_text(json.dumps(body["tools"], indent=1))
            number, script = len(turn.told), self.scripts.get(who, [])
            if number >= len(script):
                return []
            if (who, number) not in self.handed:
                self.handed.add((who, number))
                if self.before:
                    self.before(who, number)
                self.log({"call": script[number], "of": who, "number": number})
            names, arguments = script[number]
            # A tool may have had another name in older versions.
            return [(next((name for name in names.split("|") if name in turn.tools), names), arguments)]


def handler(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, body, kind="application/json"):
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def body(self):
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                data = b""
                while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                    data += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                data = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("content-encoding") == "gzip":
                data = gzip.decompress(data)
            try:
                return json.loads(data)
            except ValueError:
                return {}

        def do_HEAD(self):
            self.send({})

        def do_GET(self):
            path = self.path.split("?")[0].rstrip("/")
            model.log({"get": self.path})
            entry = {"id": "lab-model", "object": "model", "created": 0, "owned_by": "lab"}
            self.send({"object": "list", "models": [], "data": [entry]} if path.endswith("/models") else {})

        def do_POST(self):
            path, body = self.path.split("?")[0], self.body()
            wire = wire_of(path)
            try:
                if "count" in path.rsplit("/", 1)[-1].lower():
                    return self.send({"input_tokens": 10, "totalTokens": 10})
                if not wire:
                    model.log({"post": self.path})
                    return self.send({})
                turn = wire.read(body)
                reply = wire.write(body, model.next_calls(turn, body), len(turn.told))
                if body.get("stream") or "stream" in path:
                    return self.send(wire.stream(reply), "text/event-stream")
                self.send(reply)
            except (BrokenPipeError, ConnectionResetError):
                pass

    return Handler
