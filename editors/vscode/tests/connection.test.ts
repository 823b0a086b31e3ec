/** The daemon absent, killed, slow, older; and what agents wait for. */

import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as net from 'node:net';
import * as path from 'node:path';
import { after } from 'node:test';
import { createMessageConnection, type MessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { FEATURES, program } from '../src/connection';
import { apply, block, carryOut, editor, end, person, project, replaces, run, test, top, until } from './world';

after(end);

const notices = () => person.notices.join('\n');
const servers: net.Server[] = [];
after(() => servers.forEach((server) => server.close()));

/** A daemon that answers `hello` and does with other requests what `work` says. */
async function pretended(features: string[], work: (link: MessageConnection) => void = () => {}): Promise<string> {
  const socket = path.join(top, `pretended${servers.length}`);
  const server = net.createServer((stream) => {
    const link = createMessageConnection(new StreamMessageReader(stream), new StreamMessageWriter(stream));
    link.onRequest('hello', () => ({ server: 'x', version: '0.0.9', protocol: 1, features, readOnly: false }));
    work(link);
    link.onError(() => {});
    link.listen();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return socket;
}

/** A client that says this for `status --json`. */
function client(said: string): string {
  const file = path.join(top, `client${Math.random()}`);
  fs.writeFileSync(file, `#!/bin/sh\ncat <<'X'\n${said}\nX\n`, { mode: 0o755 });
  return file;
}

test('without client and daemon it is said what to do', async () => {
  editor(project({ 'a.txt': 'a\n' }), { client: '/nowhere/clada-client', socket: '' });
  await apply(replaces('a.txt', 'a', 'b'));
  assert.match(notices(), /clada: \/nowhere\/clada-client was not found\. Install clada, or set clada\.client to its path\./);
  editor(project({ 'a.txt': 'a\n' }), { client: client('no JSON'), socket: '' });
  await apply(replaces('a.txt', 'a', 'b'));
  assert.match(notices(), /has not answered in JSON/);
});

test('a program is never taken by a relative path', async () => {
  const root = project();
  fs.writeFileSync(path.join(root, 'clada-client'), '', { mode: 0o755 });
  const { PATH } = process.env;
  process.env['PATH'] = `.:${path.relative(process.cwd(), root)}`;
  assert.deepEqual(await Promise.all(['clada-client', './clada-client'].map(program)), [undefined, undefined]);
  process.env['PATH'] = `.:${root}`;
  assert.equal(await program('clada-client'), path.join(root, 'clada-client'));
  process.env['PATH'] = PATH;
});

test('an older daemon is named with both versions', async () => {
  const socket = await pretended(FEATURES.filter((feature) => feature !== 'edits.mixed'));
  editor(project({ 'a.txt': 'a\n' }), { socket });
  await apply(replaces('a.txt', 'a', 'b'));
  assert.match(notices(), /extension clada 0\.1\.0 needs a newer daemon than 0\.0\.9: it lacks edits\.mixed\./);
  // One from before headers hangs up at the first of them.
  const old = path.join(top, 'old');
  const server = net.createServer((stream) => stream.on('data', () => stream.end('{"jsonrpc":"2.0","error":{}}\n')).on('error', () => {}));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(old, resolve));
  editor(project({ 'a.txt': 'a\n' }), { client: client(JSON.stringify({ socket: old, version: '0.0.1' })), socket: '' });
  await apply(replaces('a.txt', 'a', 'b'));
  assert.match(notices(), /newer daemon than 0\.0\.1: it lacks framing\.headers\./);
  // And one that does not say where it listens.
  editor(project({ 'a.txt': 'a\n' }), { client: client(JSON.stringify({ version: '0.0.1' })), socket: '' });
  await apply(replaces('a.txt', 'a', 'b'));
  assert.match(notices(), /newer daemon than 0\.0\.1: it lacks socket in status\./);
});

test('a slow daemon shows progress, which cancels the request', async () => {
  let cancelled = false;
  const root = project({ 'a.txt': 'a\n' });
  const socket = await pretended(FEATURES, (link) => {
    link.onRequest('project.root', () => ({ root, why: '' }));
    link.onRequest('plan', (_params, token) => new Promise((_, reject) => {
      token.onCancellationRequested(() => {
        cancelled = true;
        reject(new ResponseError(-32800, 'cancelled', { kind: 'cancelled' }));
      });
    }));
  });
  editor(root, { socket });
  const applied = apply(replaces('a.txt', 'a', 'b'));
  const [progress] = await until('progress', () => person.progress.length > 0 && person.progress);
  assert.equal(progress!.title, 'clada: planning');
  progress!.cancel();
  await applied;
  assert.ok(cancelled);
  assert.match(notices(), /it was cancelled/);
});

test('a daemon that is killed is started by the next command, and events come again by themselves', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const api = editor(root);
  await apply(replaces('a.txt', 'a\n', 'b\n'));
  const { pid } = await api.daemon.call('status', {});
  process.kill(pid!, 'SIGKILL');
  await until('the loss', () => api.daemon.up === false);
  // What was planned is gone with it, and made again.
  await carryOut();
  assert.equal(fs.readFileSync(path.join(root, 'a.txt'), 'utf8'), 'b\n', notices());
  const second = await api.daemon.call('status', {});
  assert.notEqual(second.pid, pid);
  process.kill(second.pid!, 'SIGKILL');
  await until('the loss', () => api.daemon.up === false);
  // Somebody else starts one.
  execFileSync(process.env['CLADA_CLIENT']!, ['status']);
  await until('the connection', () => api.daemon.up);
  // The daemon knows the project as soon as it is subscribed to.
  await until('the subscription', async () => (await api.daemon.call('status', {})).projects.includes(root));
  execFileSync(process.env['CLADA_CLIENT']!, ['--root', root, 'apply'], { input: replaces('a.txt', 'b\n', 'c\n') });
  await until('an event', () => /Another program: executed/.test(person.output));
});

test('what is under way when the daemon dies is told, once', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const socket = await pretended(FEATURES, (link) => {
    link.onRequest('project.root', () => ({ root, why: '' }));
    link.onRequest('plan', () => {
      setImmediate(() => link.end());
      return new Promise(() => {});
    });
  });
  editor(root, { socket });
  await apply(replaces('a.txt', 'a', 'b'));
  assert.deepEqual(person.notices, ['clada: The daemon has ended the connection. What was under way may be done: see the history.']);
});

test('where sockets may not be used, the daemon speaks on its standard streams', async () => {
  const module = createRequire(__filename)('node:net') as { connect: unknown };
  const { connect } = module;
  module.connect = () => {
    const made = new net.Socket();
    setImmediate(() => made.destroy(Object.assign(new Error('refused'), { code: 'EPERM' })));
    return made;
  };
  try {
    const root = project({ 'a.txt': 'a\n' });
    editor(root, { socket: path.join(top, 'forbidden') });
    await apply(replaces('a.txt', 'a\n', 'b\n'));
    await carryOut();
    assert.equal(fs.readFileSync(path.join(root, 'a.txt'), 'utf8'), 'b\n', notices());
  } finally {
    module.connect = connect;
  }
});

/** A connection of an agent. */
async function agent(root: string): Promise<MessageConnection> {
  const stream = net.connect(process.env['CLADA_SOCKET']!);
  const link = createMessageConnection(new StreamMessageReader(stream), new StreamMessageWriter(stream));
  link.onClose(() => link.dispose());
  link.listen();
  await link.sendRequest('hello', { client: 'agent [x](command:y)', caller: 'agent', roots: [root] });
  return link;
}

test('what an agent waits for is one notice without its text, and decided about in a dialog', async () => {
  const root = project({ 'a.txt': 'a\n', '.clada/config.yaml': '' });
  const api = editor(root);
  await until('the subscription', () => api.daemon.up);
  const link = await agent(root);
  const text = block('abc', { action: 'run', command: "make '[x](command:clada.undo)'" });
  const waits = () => person.notices.filter((each) => /waits for your approval/.test(each));
  for (const decision of ['Once', 'No']) {
    person.notices.length = 0;
    person.modals.length = 0;
    person.answer = (_, buttons) => buttons.includes('Decide…') ? 'Decide…' : undefined;
    const done = link.sendRequest('execute', { root, text }) as Promise<{ results: { hint?: string }[] }>;
    await until('the dialog', () => person.modals[0]);
    assert.deepEqual(waits(), [`clada: an agent waits for your approval in ${path.basename(root)}`]);
    assert.match(person.modals[0]!, /make '\[x\]\(command:clada\.undo\)'/);
    assert.equal(person.status!.command, 'clada.approve');
    // Nothing is decided by closing it, and it stays in the status bar.
    person.answer = (_, buttons) => buttons.find((button) => button === decision);
    await run('approve');
    const [result] = (await done).results;
    assert.equal(/declined it/.test(result!.hint ?? ''), decision === 'No', JSON.stringify(result));
    await until('nothing waits', () => person.status?.command !== 'clada.approve');
  }
  // Show is plain text; from there it can be decided, too.
  person.answer = (_, buttons) => buttons.find((button) => button === 'Show');
  const done = link.sendRequest('execute', { root, text });
  const shown = await until('the text', () => person.shown.find((uri) => uri.startsWith('clada:/approval/')));
  assert.match(shown, /\/approval\.txt$/);
  const tabs = () => person.tabs.filter(({ input }) => input.uri?.path.startsWith('/approval/'));
  assert.equal(tabs().length, 1);
  person.answer = (_, buttons) => buttons.find((button) => button === 'No');
  await run('approve');
  await done;
  assert.equal(tabs().length, 0);
  await run('approve');
  assert.match(person.notices.at(-1)!, /nothing waits/);
  link.end();
});

test('what has waited since before is told of, too', async () => {
  const root = project({ '.clada/config.yaml': '' });
  const link = await agent(root);
  const done = link.sendRequest('execute', { root, text: block('abc', { action: 'run', command: 'make x' }) });
  editor(root);
  await until('the notice', () => person.notices.some((each) => /waits for your approval/.test(each)));
  person.answer = (_, buttons) => buttons.find((button) => button === 'No');
  await run('approve');
  await done;
  link.end();
});
