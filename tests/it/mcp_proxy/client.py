"""The Python SDK as a host: python3 client.py MODE TEXT PROGRAM ARGUMENTS... Prints what it saw as JSON."""

import asyncio
import json
import os
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main(mode, text, program, *arguments):
    server = StdioServerParameters(command=program, args=list(arguments), env=dict(os.environ))
    async with Client(stdio_client(server), mode=mode) as client:
        tools = await client.list_tools()
        result = await client.call_tool("apply", {"text": text})
        edit = {"create": [{"path": "b.txt", "text": "two\n"}]}
        edited = await client.call_tool("edit", edit)
        read = await client.call_tool("read", {"paths": ["b.txt"]})
        wrong = await client.call_tool("preview", {})
        print(json.dumps({
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "isError": result.is_error,
            "kinds": [block.type for block in result.content],
            "edited": not edited.is_error and "two" in read.content[0].text,
            "wrong": wrong.is_error,
        }))


asyncio.run(main(*sys.argv[1:]))
