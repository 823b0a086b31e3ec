// The TypeScript SDKs as a host: node client.mjs PACKAGE MODE TEXT PROGRAM ARGUMENTS... Prints what it saw as JSON.
// PACKAGE is the folder of `@modelcontextprotocol/sdk` (MODE is `sdk`) or of `@modelcontextprotocol/client`.

import { pathToFileURL } from 'node:url';

const [folder, mode, text, command, ...args] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${folder}/${path}`));
const sdk = mode === 'sdk';
const { Client } = await load(sdk ? 'dist/esm/client/index.js' : 'dist/index.mjs');
const { StdioClientTransport } = await load(sdk ? 'dist/esm/client/stdio.js' : 'dist/stdio.mjs');

const options = sdk || mode === 'legacy' ? {} : { versionNegotiation: { mode: 'auto' } };
const client = new Client({ name: 'host', version: '1' }, options);
const transport = new StdioClientTransport({ command, args, env: process.env });
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool({ name: 'apply', arguments: { text } });
const edit = { create: [{ path: 'b.txt', text: 'two\n' }] };
const edited = await client.callTool({ name: 'edit', arguments: edit });
const read = await client.callTool({ name: 'read', arguments: { paths: ['b.txt'] } });
const wrong = await client.callTool({ name: 'preview', arguments: {} });
console.log(JSON.stringify({
    version: sdk ? null : client.getNegotiatedProtocolVersion?.() ?? null,
    tools: tools.map((tool) => tool.name),
    isError: result.isError ?? false,
    kinds: result.content.map((block) => block.type),
    edited: !edited.isError && read.content[0].text.includes('two'),
    wrong: wrong.isError ?? false,
}));
await client.close();
