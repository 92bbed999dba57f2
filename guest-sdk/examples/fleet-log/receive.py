#!/usr/bin/env python3
"""A small receiver of OpenTelemetry logs (OTLP/HTTP, JSON) that stores guard-host's audit lines in PostgreSQL.

It answers 200 only after the lines are committed, so a sender that hears nothing sends them again, and the key of the
table keeps each line once. It needs psycopg 3, and TLS in front of it if it is not on the sender's machine.

    receive.py --dsn postgresql:///guard --listen 127.0.0.1:4318 --token-file token
"""

import argparse
import hmac
import json
import os
import stat
import sys
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
from psycopg.types.json import Jsonb

MOST_BYTES = 32 << 20
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
TEXTS = ["action", "tool", "harness", "session", "agent", "cwd", "policy", "rule", "by"]
INSERT = """
    INSERT INTO guard_log (id, ts, host, version, severity, operation, rules, ms, line,
                           action, tool, harness, session, agent, cwd, policy, rule, by_whom)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT DO NOTHING
"""


def value(any_value):
    """The plain value of an OTLP AnyValue. PostgreSQL has no place for the character zero."""
    [(kind, content)] = any_value.items() if any_value else [("none", None)]
    if kind == "stringValue":
        return content.replace("\0", "\ufffd")
    if kind == "intValue":
        return int(content)
    if kind == "arrayValue":
        return [value(item) for item in content.get("values", [])]
    if kind == "kvlistValue":
        return pairs(content.get("values", []))
    return content


def pairs(attributes):
    return {pair["key"].replace("\0", "\ufffd"): value(pair.get("value")) for pair in attributes}


def row(record, resource):
    """The row of a record; None if it has no id."""
    keys = pairs(record.get("attributes", []))
    uid = keys.pop("log.record.uid", None)
    if not isinstance(uid, str) or not uid:
        return None
    line = {key.removeprefix("guard."): content for key, content in keys.items()}
    nanoseconds = int(record.get("timeUnixNano", 0))
    time = EPOCH + timedelta(microseconds=nanoseconds // 1000)
    rules = line.get("rules")
    ms = line.get("ms")
    return [
        uid,
        time,
        str(resource.get("host.name", "")),
        str(resource.get("service.version", "")),
        int(record.get("severityNumber", 0)),
        str(value(record.get("body")) or ""),
        [str(rule) for rule in rules] if isinstance(rules, list) else [],
        ms if isinstance(ms, (int, float)) else None,
        Jsonb(line),
        *[str(line.get(key) or "") for key in TEXTS],
    ]


def rows(request):
    """The rows of a request, and how many records have none."""
    found, rejected = [], 0
    for of_resource in request.get("resourceLogs", []):
        resource = pairs(of_resource.get("resource", {}).get("attributes", []))
        for of_scope in of_resource.get("scopeLogs", []):
            for record in of_scope.get("logRecords", []):
                new = row(record, resource)
                if new is None:
                    rejected += 1
                else:
                    found.append(new)
    return found, rejected


class Store:
    """One connection, which is made again after a fault."""

    def __init__(self, dsn):
        self.dsn, self.lock, self.connection = dsn, threading.Lock(), None

    def add(self, new):
        with self.lock:
            try:
                if self.connection is None:
                    self.connection = psycopg.connect(self.dsn, connect_timeout=5)
                with self.connection.transaction(), self.connection.cursor() as cursor:
                    cursor.executemany(INSERT, new)
            except psycopg.Error:
                if self.connection is not None:
                    self.connection.close()
                self.connection = None
                raise


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    store = token = None

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            self.close_connection = True
            return self.answer(413 if length.isdigit() else 411, {"message": "the body has no length, or is too long"})
        body = self.rfile.read(int(length))
        shown = self.headers.get("Authorization", "").encode()
        if self.token and not hmac.compare_digest(shown, b"Bearer " + self.token):
            return self.answer(401, {"message": "the token is missing or wrong"})
        if self.path != "/v1/logs":
            return self.answer(404, {"message": "there is /v1/logs"})
        try:
            found, rejected = rows(json.loads(body))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            return self.answer(400, {"message": f"this is no OTLP in JSON: {type(error).__name__}"})
        try:
            self.store.add(found)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            print(f"the database is away: {error}", file=sys.stderr, flush=True)
            return self.answer(503, {"message": "the database is away"}, {"Retry-After": "5"})
        except psycopg.Error as error:
            print(f"the database refuses: {error}", file=sys.stderr, flush=True)
            return self.answer(500, {"message": "the database refuses the lines"})
        partial = {"rejectedLogRecords": str(rejected), "errorMessage": "a record without log.record.uid"}
        return self.answer(200, {"partialSuccess": partial} if rejected else {})

    def answer(self, status, content, headers=()):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in dict(headers).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form, *arguments):
        """Requests are not told; faults are."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # A sender that goes away sends again.
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def token_of(path):
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) or mode & 0o077:
        sys.exit(f"{path}: others can read it; run `chmod 600` on it")
    with open(path, "rb") as file:
        token = file.read(4096).strip()
    return token or sys.exit(f"{path}: it holds no token")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", required=True, help="the database")
    parser.add_argument("--listen", default="127.0.0.1:4318", help="address and port")
    parser.add_argument("--token-file", help="a private file with the token that senders show")
    options = parser.parse_args()
    host, _, port = options.listen.rpartition(":")
    if host not in ("127.0.0.1", "localhost") and not options.token_file:
        sys.exit("other machines need a token: give --token-file")
    Handler.store = Store(options.dsn)
    Handler.token = token_of(options.token_file) if options.token_file else None
    server = Server((host, int(port)), Handler)
    print(f"listening at http://{host}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
