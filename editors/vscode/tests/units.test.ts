/** What needs no daemon: texts, plans as models, edits, what the manifest promises. */

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, test } from 'node:test';
import { apply, canHold, edited, type Held, replace, save } from '../src/documents';
import { offerServer } from '../src/mcp';
import { carry, choice, modelOf, proposed } from '../src/plan';
import type { PlanResult, TextEdit } from '../src/protocol';
import { harmless, lines, short, visible } from '../src/text';
import { random } from './random';
import { Document, person, Uri } from './vscode';
import { editor, end, top, write } from './world';

after(end);

test('texts of others are shown without harm', () => {
  const texts = ['[x](command:y)', 'a$(bell)b', '\u001b[31mred', 'left\u202eright', 'a\u200bb\ufeff', 'tab\tstays', '\ud800', '\u{e0041}', '100%s\r\n'];
  assert.deepEqual(texts.map(harmless), ['[x] (command:y)', 'a$ (bell)b', '\\u{1b}[31mred', 'left\\u{202e}right', 'a\\u{200b}b\\u{feff}', 'tab\tstays',
    '\ufffd', '\\u{e0041}', '100%s\n']);
  assert.deepEqual([visible('[x](y)'), short('a\n  b', 9), short('😀😀😀', 2)], ['[x](y)', 'a b', '😀😀…']);
});

test('the MCP server is offered to an editor that can take it, in a trusted workspace, and to no other', () => {
  class Definition {
    constructor(readonly label: string, readonly command: string, readonly args: string[], readonly env: object, readonly version: string) {}
  }
  type Provider = { provideMcpServerDefinitions(): unknown[] };
  const offered: [string, Provider][] = [];
  const lm = {
    registerMcpServerDefinitionProvider: (id: string, provider: Provider) => {
      offered.push([id, provider]);
      return { dispose: () => undefined };
    },
  };
  let trusted = false;
  const offer = (editor: object) => offerServer(editor, '0.1.0', () => '/bin/clada-daemon', () => trusted);
  for (const older of [{}, { lm: {} }, { lm }, { lm: {}, McpStdioServerDefinition: Definition }]) {
    assert.equal(offer(older), undefined);
  }
  assert.ok(offer({ lm, McpStdioServerDefinition: Definition }));
  const [[id, provider] = assert.fail('nothing was offered')] = offered;
  const before = provider.provideMcpServerDefinitions();
  trusted = true;
  assert.deepEqual([offered.length, id, before, provider.provideMcpServerDefinitions()],
    [1, 'clada', [], [new Definition('clada', '/bin/clada-daemon', ['mcp'], {}, '0.1.0')]]);
});

test('lines are counted as the editor counts them', () => {
  assert.deepEqual(['', 'a', 'a\n', 'a\r\nb\rc\n\n', '\n', 'a\u2028b'].map(lines), [[], ['a'], ['a\n'], ['a\r\n', 'b\r', 'c\n', '\n'], ['\n'], ['a\u2028b']]);
});

const hunk = (id: string, group: string, start: number, removed: string[], added: string[]) => ({ id, group, start, removed, added, parts: [id] });

function plan(change: Partial<PlanResult> = {}): PlanResult {
  return {
    planId: 'p', expiresInMs: 1, kept: 1, totalBlocks: 1, parseErrors: [], diff: '',
    approvals: [], actions: [],
    files: [
      { path: 'a', uri: 'file:///p/a', kind: 'change', hunks: [hunk('a1', 'g1', 0, ['x\n'], ['y\n']), hunk('a1', 'g2', 2, [], ['z\n'])], units: ['g1', 'g2'] },
      { path: 'b', uri: 'file:///p/b', kind: 'delete', group: 'g3', parts: [], hunks: [], units: ['g3'] },
    ],
    review: {
      units: [
        { id: 'g1', key: '1', accepted: true }, { id: 'g2', key: '2', accepted: true }, { id: 'g3', key: '3', accepted: true },
        { id: 'a2', key: '4', accepted: false, approvals: ['ap'], title: 'run make', command: true },
      ],
      always: ['a3', 'a4', 'a5'], notes: [], failed: 1,
    },
    ...change,
  } as PlanResult;
}

test('all of a plan is accepted at first, but for what needs approval or is blocked', () => {
  const model = modelOf(plan(), (file) => file.path === 'b' ? 'not saved' : undefined);
  assert.deepEqual(model.units.map(({ id, accepted, blocked }) => [id, accepted, blocked]),
    [['g1', true, undefined], ['g2', true, undefined], ['g3', false, 'not saved'], ['a2', false, undefined]]);
  assert.deepEqual(choice(model), { accept: ['a3', 'a4', 'a5', 'g1', 'g2'], approve: [], decline: [] });
  const whole = modelOf(plan(), () => undefined);
  whole.units.forEach((unit) => { unit.accepted = true; });
  assert.deepEqual(choice(whole), { approve: ['ap'], decline: [] });
});

test('decisions are carried over to another plan, an approval only if it is of the same content', () => {
  const before = modelOf(plan(), () => undefined);
  before.units.forEach((unit) => { unit.accepted = unit.id !== 'g1'; });
  const same = modelOf(plan(), () => undefined);
  assert.equal(carry(same, before), true);
  assert.deepEqual(same.units.map(({ accepted }) => accepted), [false, true, true, true]);
  const changed = plan();
  changed.review!.units[3]!.approvals = ['other'];
  const other = modelOf(changed, () => undefined);
  carry(other, before);
  assert.deepEqual(other.units.map(({ accepted }) => accepted), [false, true, true, false]);
});

test('a document with all hunks of a plan', () => {
  const file = plan().files![0]!;
  assert.equal(proposed('x\nb\nc', file), 'y\nb\nz\nc');
});

function held(document: Document): Held {
  return { document: document as never, path: document.uri.fsPath, version: document.version, dirty: document.isDirty, mark: document.mark, refused: undefined };
}

/** Random edits of whole lines, ascending and apart. */
function randomEdits(number: (below: number) => number, text: string, end: string): TextEdit[] {
  const pieces = ['', `a${end}`, `é😀\t${end}b${end}`, end];
  const all = lines(text).length;
  const edits: TextEdit[] = [];
  for (let line = number(3); line <= all; line += 1 + number(4)) {
    const last = Math.min(all, line + number(3));
    const isAtEnd = last === all;
    const newText = pieces[number(pieces.length)]! + (isAtEnd && number(2) ? 'no end' : '');
    // Behind a line without an end nothing can be inserted but in its place.
    const isBehind = line === all && all > 0 && !/[\r\n]$/.test(lines(text).at(-1)!);
    if (!isBehind) {
      edits.push({ range: { start: { line, character: 0 }, end: { line: last, character: 0 } }, newText });
    }
    line = last;
  }
  return edits;
}

test('random edits of documents are those of their texts, and one step of undo each', async () => {
  editor();
  const number = random(7);
  const rounds = process.env['CLADA_ALL'] ? 2000 : 200;
  for (let round = 0; round < rounds; round += 1) {
    const end = number(2) ? '\n' : '\r\n';
    const words = ['x', '', 'é', '😀😀', '\t', 'long line here'];
    const text = Array.from({ length: number(9) }, () => words[number(words.length)]! + end).join('') + (number(3) ? '' : 'last');
    const file = path.join(top, 'random.txt');
    write(file, (number(4) ? '' : '\ufeff') + text);
    const document = person.open(file);
    const before = document.getText();
    document.type(number(2) ? 0 : before.length, 0, 't');
    const typed = document.getText();
    const edits = randomEdits(number, typed, document.eol === 1 ? '\n' : '\r\n');
    const applied = await apply(held(document), edits);
    assert.deepEqual([applied!.before, document.getText()], [typed, edited(typed, edits)], JSON.stringify({ typed, edits }));
    assert.equal(applied!.after, document.getText());
    assert.equal(await replace(document as never, applied!.after, applied!.before), true);
    assert.equal(document.getText(), typed);
    if (applied!.after !== typed) {
      document.undo();
      assert.equal(document.getText(), applied!.after);
    }
    if (edits.length > 0) {
      document.undo();
      assert.equal(document.getText(), typed);
    }
    document.undo();
    assert.equal(document.getText(), before);
    document.isClosed = true;
  }
});

test('what is typed into a document is never overwritten', async () => {
  editor();
  write(path.join(top, 'typed.txt'), 'a\nb\n');
  const document = person.open(path.join(top, 'typed.txt'));
  const then = held(document);
  document.type(0, 0, 'mine');
  const edits = [{ range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, newText: 'x\n' }];
  assert.equal(await apply(then, edits), undefined);
  // Also between asking the editor and its doing so.
  person.beforeEdit = () => document.type(0, 0, 'more ');
  assert.equal(await apply(held(document), edits), undefined);
  assert.equal(await replace(document as never, 'other', 'x'), false);
  person.beforeEdit = undefined;
  assert.match((await save(document as never, 'other'))!, /typed into meanwhile/);
  assert.deepEqual([document.getText(), document.saves], ['more minea\nb\n', 0]);
});

test('a document holds lines of its own line end only', () => {
  write(path.join(top, 'crlf.txt'), 'a\r\nb\r\n');
  const document = person.open(path.join(top, 'crlf.txt')) as never;
  assert.deepEqual([['x\r\n', 'y'], ['x\n'], ['x\r'], []].map((added) => canHold(document, added)), [true, false, false, true]);
});

test('the manifest holds what is promised', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(process.env['CLADA_EDITORS']!, 'vscode/package.json'), 'utf8'));
  const { contributes, capabilities } = manifest;
  const settings: Record<string, { scope: string }> = contributes.configuration.properties;
  // `machine`: the editor takes it from no workspace.
  assert.deepEqual(Object.entries(settings).filter(([, { scope }]) => scope !== 'machine'), []);
  assert.deepEqual(Object.keys(manifest.dependencies), ['vscode-jsonrpc']);
  assert.deepEqual([manifest.extensionKind, manifest.activationEvents, capabilities.untrustedWorkspaces.supported, capabilities.virtualWorkspaces.supported],
    [['workspace'], ['workspaceContains:.clada'], 'limited', false]);
  assert.deepEqual(capabilities.untrustedWorkspaces.restrictedConfigurations.toSorted(),
    Object.keys(settings).filter((name) => name !== 'clada.copyReport').toSorted());
  const versions: string[] = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
  assert.ok(versions.every((version) => /^\d/.test(version)), 'exact versions');
  const commands: string[] = contributes.commands.map(({ command }: { command: string }) => command);
  for (const name of ['apply', 'applyClipboard', 'undo', 'redo', 'history', 'copyReport', 'embed', 'addContext', 'stage', 'approve', 'showLog', 'restart']) {
    assert.ok(commands.includes(`clada.${name}`), name);
  }
  const source = fs.readdirSync(path.join(process.env['CLADA_EDITORS']!, 'vscode/src')).filter((name) => name !== 'protocol.ts')
    .map((name) => fs.readFileSync(path.join(process.env['CLADA_EDITORS']!, 'vscode/src', name), 'utf8')).join('');
  assert.doesNotMatch(source, /webview|https?:|node:http|fetch\(|isRefactoring|MarkdownString/);
  assert.equal(Uri.file('/a').toString(), 'file:///a');
});
