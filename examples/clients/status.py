"""The daemon's state, by Python's own socket: one message a line. argv[1]: the socket."""
import json
import socket
import sys


def call(stream, method, params):
    stream.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    stream.flush()
    # Notifications come before the answer; they have no id.
    answer = next(message for message in map(json.loads, stream) if "id" in message)
    return answer.get("result") or sys.exit(answer["error"]["message"])


connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
print(json.dumps(call(connection.makefile("rw", encoding="utf-8"), "status", {})))
