/** A world for tests: a home, a socket, projects, and the extension beside a mock of the editor. */

import { execFileSync } from 'node:child_process';
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test as define } from 'node:test';
import * as vscode from 'vscode';
import { activate, type Api } from '../src/extension';
import type { Node } from '../src/review';
import { block } from './random';
import * as mock from './vscode';

export { block };
export const { person, Selection } = mock;
export type Document = mock.Document;

// The path of a socket has about 100 bytes.
const temporary = Buffer.byteLength(os.tmpdir()) < 60 ? os.tmpdir() : '/tmp';
// `editors/together` makes the world that its four editors share.
const shared = process.env['TOGETHER_TOP'];
export const top = shared ?? fs.realpathSync(fs.mkdtempSync(path.join(temporary, 'clada-vscode-')));
export const hasDaemon = Boolean(process.env['CLADA_CLIENT'] && process.env['CLADA_DAEMON']);
surround();
if (!shared) {
  // Agents of these tests wait for the person.
  write(path.join(top, 'config/clada/config.yaml'), 'mcp:\n  approvals: wait\n');
}
if (!hasDaemon) {
  console.log('The tests with a daemon are left out: CLADA_CLIENT and CLADA_DAEMON name none.');
}

/** Moves the process into the world, whatever its environment says: nothing of the user's is read or written. */
function surround(): void {
  const settings = /^(CLADA|XDG|GIT)_/;
  const ours = /^CLADA_(CLIENT|DAEMON|REVIEW|ALL|EDITORS|VSCODE_WAIT)$/;
  Object.keys(process.env).filter((name) => settings.test(name) && !ours.test(name)).forEach((name) => delete process.env[name]);
  const folders = { HOME: 'home', XDG_CONFIG_HOME: 'config', XDG_STATE_HOME: 'state', XDG_RUNTIME_DIR: 'runtime', TMPDIR: 'tmp' };
  for (const [name, folder] of Object.entries(folders)) {
    fs.mkdirSync(path.join(top, folder), { recursive: true, mode: 0o700 });
    process.env[name] = path.join(top, folder);
  }
  // A folder of the socket alone: other programs use that of the runtime, too.
  fs.mkdirSync(path.join(top, 'run'), { recursive: true, mode: 0o700 });
  process.env['CLADA_SOCKET'] = path.join(top, 'run', 's');
}

let made = 0;
let api: Api | undefined;
let disposables: { dispose(): unknown }[] = [];

/** Makes a project of these files and returns its root. */
export function project(files: Record<string, string> = {}): string {
  const root = path.join(top, `project${made++}`);
  fs.mkdirSync(path.join(root, '.git'), { recursive: true });
  Object.entries(files).forEach(([name, content]) => write(path.join(root, name), content));
  return root;
}

export function write(file: string, content: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

/** The files below a folder with their bytes, but for those of git and clada. */
export function tree(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name);
    if (entry.isDirectory() && !['.git', '.clada'].includes(name)) {
      Object.assign(found, tree(folder, name));
    } else if (entry.isFile()) {
      found[name] = fs.readFileSync(path.join(folder, name), 'latin1');
    }
  }
  return found;
}

/** An extension anew, in an editor that has this folder open. */
export function editor(root?: string, settings: Record<string, unknown> = {}): Api {
  stop();
  person.reset();
  person.settings = { client: process.env['CLADA_CLIENT'], daemon: process.env['CLADA_DAEMON'], ...settings };
  mock.workspace.workspaceFolders = root ? [{ uri: mock.Uri.file(root), name: path.basename(root) }] : [];
  const subscriptions: { dispose(): unknown }[] = [];
  api = activate({ subscriptions, extension: { packageJSON: { version: '0.1.0' } } } as unknown as vscode.ExtensionContext);
  disposables = subscriptions;
  return api;
}

function stop(): void {
  disposables.forEach((each) => each.dispose());
  disposables = [];
  api = undefined;
}

/** Ends the extension and the daemon, and removes everything. */
export function end(): void {
  stop();
  if (shared) {
    return;
  }
  if (hasDaemon) {
    try {
      execFileSync(process.env['CLADA_CLIENT']!, ['--no-spawn', 'stop'], { stdio: 'ignore', timeout: 60_000 });
    } catch {
      // None runs.
    }
  }
  fs.rmSync(top, { recursive: true, force: true });
}

/** Runs a command; then the editor reads unmodified documents anew whose files were written. */
export async function run(name: string, ...args: unknown[]): Promise<unknown> {
  const result = await vscode.commands.executeCommand(`clada.${name}`, ...args);
  mock.workspace.textDocuments.filter(({ isDirty, isClosed, uri }) => !isDirty && !isClosed && uri.scheme === 'file' && fs.existsSync(uri.fsPath))
    .forEach((document) => document.load());
  return result;
}

let lost = false;

/**
 * A test with the daemon. It may take two minutes, or an hour with all that is random; once something has not come no other test
 * runs: as a rule the daemon is lost then, and each of them would wait as long.
 */
export function test(name: string, body: () => Promise<void>): void {
  define(name, { skip: !hasDaemon }, async () => {
    assert.ok(!lost, 'not run, since something never came');
    const seconds = process.env['CLADA_ALL'] ? 3600 : 120;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        lost = true;
        reject(new Error(`it did not end within ${seconds} s\n${person.notices.join('\n')}`));
      }, seconds * 1000);
    });
    await Promise.race([body(), late]).finally(() => clearTimeout(timer));
  });
}

/** Waits for what has to come; it has a minute, so that only what never comes fails. */
export async function until<T>(what: string, found: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const started = Date.now(); Date.now() - started < Number(process.env['CLADA_VSCODE_WAIT'] ?? 60_000);) {
    const it = await found();
    if (it) {
      return it;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  lost = true;
  assert.fail(`never came: ${what}\n${person.notices.join('\n')}`);
}

/** Takes an answer from the clipboard to the review. */
export async function apply(answer: string): Promise<void> {
  person.clipboard = answer;
  await run('applyClipboard');
}

/** All nodes of the review, and what is shown of each. */
export function nodes(parent?: Node): [Node, vscode.TreeItem][] {
  const { provider } = person.tree!;
  return provider.getChildren(parent).flatMap((node: Node) => [[node, provider.getTreeItem(node)], ...nodes(node)]);
}

/** The labels of the review, with their boxes and remarks. */
export function shown(): string[] {
  const box = (item: vscode.TreeItem) => item.checkboxState === undefined ? '   ' : item.checkboxState ? '[x]' : '[ ]';
  return nodes().map(([, item]) => `${box(item)} ${item.label as string}${item.description ? ` · ${item.description as string}` : ''}`);
}

/** Ticks or unticks the first node whose label or file is this. */
export function tick(wanted: (node: Node, label: string) => boolean, state: boolean): void {
  const found = nodes().find(([node, item]) => wanted(node, item.label as string));
  assert.ok(found, shown().join('\n'));
  person.tree!.tick.fire({ items: [[found[0], state ? 1 : 0]] });
}

export const carryOut = () => run('carryOut');

/** A block that replaces a text. */
export function replaces(file: string, from: string, to: string, id = 'abc'): string {
  return block(id, { action: 'file_replace_text', path: file, old_text: from, new_text: to });
}
