#!/bin/sh
# The daemon's state, by curl alone. $1: the socket.
# --json says POST, the type that is asked for, and reads the body from here.
curl --silent --show-error --fail-with-body --unix-socket "$1" http://localhost/rpc \
    --json '{"jsonrpc":"2.0","id":1,"method":"status","params":{}}'
