/** The extension against a real daemon, beside a mock of the editor. */

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after } from 'node:test';
import type { ExecutionResult } from '../src/protocol';
import type { Node } from '../src/review';
import { documents, random } from './random';
import { apply, block, carryOut, editor, end, nodes, person, project, replaces, run, Selection, shown, test, tick, until, write } from './world';
import { commands, type Document, TabInputText, Uri, window, workspace } from './vscode';

after(end);

const read = (root: string, name: string) => fs.readFileSync(path.join(root, name), 'utf8');
const notices = () => person.notices.join('\n');
const isFile = (name: string) => (node: Node) => node.kind === 'file' && node.shown.file.path === name;

test('the answer is the selection, else the clipboard if it shows changes, else the document', async () => {
  const root = project({ 'a.txt': 'a\n', 'answer.md': `text\n${replaces('a.txt', 'a\n', 'document\n')}` });
  const api = editor(root);
  const document = person.open(path.join(root, 'answer.md'));
  const took = () => nodes()[0]![1].description;
  person.edit(document);
  person.clipboard = 'no blocks';
  await run('apply');
  assert.equal(took(), '1 of 1 accepted · answer.md (the clipboard holds no change)');
  person.clipboard = replaces('a.txt', 'a\n', 'clipboard\n');
  await run('apply');
  assert.equal(took(), '1 of 1 accepted · the clipboard');
  person.edit(document, new Selection(1, 0, 7, 0));
  await run('apply');
  assert.equal(took(), '1 of 1 accepted · lines 2-7 of answer.md');
  await carryOut();
  assert.equal(read(root, 'a.txt'), 'document\n');
  assert.equal(api.reviews.all.length, 0);
});

test('what has nothing to do is told, and opens no review', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const api = editor(root);
  await apply('no blocks');
  assert.match(notices(), /the clipboard: it holds no change of a file/);
  person.edit(person.open(path.join(root, 'a.txt')));
  await run('apply');
  assert.match(notices(), /a\.txt \(the clipboard holds no change\): it holds no change of a file/);
  await apply('');
  assert.match(notices(), /the clipboard is empty/);
  await apply(replaces('a.txt', 'nowhere', 'x'));
  assert.deepEqual([api.reviews.all.length, person.notices.at(-1)!.includes('0 done, 1 failed')], [0, true], notices());
});

const CODE = 'import os\n\nX = 1\n\n\ndef a():\n    return X\n\n\ndef b():\n    print(1)\n    print(2)\n';
const listing = (file: string, text: string) => `Here is the updated \`${file}\`:\n\n\`\`\`python\n${text}\`\`\`\n\n`;

test('proposals of a plain answer are shown and not accepted, and applied by hunk', async () => {
  const root = project({ 'a.py': CODE, 'b.txt': 'one\n' });
  const api = editor(root);
  const document = person.open(path.join(root, 'a.py'));
  const changed = CODE.replace('X = 1', 'X = 2').replace('print(2)', 'print(3)');
  await apply(`${replaces('b.txt', 'one\n', '1\n')}\n${listing('a.py', changed)}${listing('c.py', 'x = 1\n')}`);
  assert.deepEqual(shown().map((line) => line.replace(/lines \d+–\d+/, 'lines')), [
    `    ${path.basename(root)} · 1 of 4 accepted, 2 proposals to decide · the clipboard`,
    '[ ] a.py · proposed', '    whole file, named above · +2 −2 · lines of the answer', '    “Here is the updated `a.py`:”',
    '[ ] +1 −1  X = 2 · line 3', '[ ] +1 −1  print(3) · line 12',
    '[ ] c.py · proposed · created', '    new file, named above · +1 −0 · lines of the answer', '    “Here is the updated `c.py`:”', '    ! The answer does not say that the file is new.', '[ ] +1 −0  x = 1 · line 1',
    '[x] b.txt', '[x] +1 −1  1 · line 1',
  ]);
  tick((node) => node.kind === 'review', true);
  assert.match(nodes()[0]![1].description as string, /^1 of 4 accepted/, 'the box of all is for no proposals');
  tick((node, label) => node.kind === 'hunks' && label.includes('X = 2'), true);
  assert.match(nodes()[0]![1].description as string, /^2 of 4 accepted, 1 proposal to decide/);
  await carryOut();
  assert.match(notices(), /2 done, 1 hunk left out, 1 proposal not decided/);
  assert.deepEqual([read(root, 'a.py'), read(root, 'b.txt'), fs.existsSync(path.join(root, 'c.py')), document.isDirty],
    [CODE.replace('X = 1', 'X = 2'), '1\n', false, false]);
  assert.equal(api.reviews.all.length, 0);
  await run('undo');
  assert.deepEqual([read(root, 'a.py'), read(root, 'b.txt')], [CODE, 'one\n'], 'all of it goes back');
});

test('a part is not offered as its whole file, too', async () => {
  const api = editor(project({ 'a.py': CODE }));
  await apply(listing('a.py', 'import os\n\nX = 1\n\n\ndef b():\n    print(1)\n    print(3)\n'));
  assert.match(shown()[0]!, /0 of 1 accepted, 1 proposal to decide/);
  assert.ok(api.reviews.all[0]!.model.plan.proposals!.some(({ wholeOf }) => wholeOf), 'the daemon has both');
});

test('one of two versions is chosen, a proposal is declined, and none is applied without a look', async () => {
  const root = project({ 'a.py': CODE });
  const api = editor(root, { review: false });
  await apply(listing('a.py', CODE.replace('X = 1', 'X = 2')) + listing('a.py', CODE.replace('X = 1', 'X = 3')));
  assert.match(shown()[0]!, /0 of 2 accepted, 2 proposals to decide/);
  assert.ok(shown().includes('    ! one of several versions or places'), shown().join('\n'));
  await carryOut();
  assert.match(notices(), /nothing is accepted/);
  const of = (text: string) => (node: Node, label: string) => node.kind === 'hunks' && label.includes(text);
  tick(of('X = 2'), true);
  tick(of('X = 3'), true);
  assert.deepEqual(shown().filter((line) => line.includes(' X = ')).map((line) => line.slice(0, 3)), ['[ ]', '[x]']);
  tick(of('X = 3'), false);
  await carryOut();
  assert.match(notices(), /0 done, 1 proposal not decided, 1 proposal declined/);
  assert.equal(read(root, 'a.py'), CODE);
  await apply(listing('a.py', CODE));
  assert.match(notices(), /already as in the answer: a\.py/);
  assert.equal(api.reviews.all.length, 0);
});

test('a difference is one click away, of a read-only document', async () => {
  const root = project({ 'a.txt': 'a\nb\nc\nd\ne\nf\ng\nh\ni\n' });
  editor(root);
  await apply(replaces('a.txt', 'b\n', 'B\nB\n') + replaces('a.txt', 'h\n', 'H\n', 'abd') + block('abe', { action: 'file_write', path: 'n.txt', content: 'new\n' }));
  const click = async (wanted: (node: Node) => boolean) => {
    const [, item] = nodes().find(([each]) => wanted(each))!;
    assert.equal(item.command!.command, 'clada.open');
    await run('open', ...item.command!.arguments!);
    const [left, right, title, options] = person.diffs.at(-1) as [Uri, Uri, string, { selection: { start: { line: number } } }];
    return [left.toString().replace(root, ''), person.provider.provideTextDocumentContent(right), right.scheme, title, options.selection.start.line];
  };
  assert.deepEqual(await click((node) => node.kind === 'hunks' && node.hunks[0]!.start === 7),
    ['file:///a.txt', 'a\nB\nB\nc\nd\ne\nf\ng\nH\ni\n', 'clada', 'a.txt (proposed)', 8]);
  const [left, ...rest] = await click(isFile('n.txt'));
  assert.match(left as string, /^clada:/);
  assert.deepEqual(rest, ['new\n', 'clada', 'n.txt (proposed)', 0]);
  // Those of a plan that is reviewed no longer are closed, with another plan or the review.
  const tabs = () => person.tabs.map(({ input }) => input.modified?.path.split('/').at(-1));
  assert.deepEqual(tabs(), ['a.txt', 'n.txt']);
  await apply(replaces('a.txt', 'b\n', 'C\n'));
  assert.deepEqual(tabs(), []);
  await click(isFile('a.txt'));
  assert.deepEqual(tabs(), ['a.txt']);
  await run('discard');
  assert.deepEqual(tabs(), []);
});

test('a document that changed since the plan is planned anew, and decisions stay', async () => {
  const root = project({ 'a.txt': 'a\nb\nc\n', 'b.txt': 'x\n' });
  const api = editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x\n', 'y\n', 'abd'));
  tick(isFile('b.txt'), false);
  document.type(0, 0, 'typed\n');
  await carryOut();
  assert.match(notices(), /a\.txt was changed; it was planned again/);
  assert.equal(document.getText(), 'typed\na\nb\nc\n');
  assert.deepEqual(shown().filter((line) => /^\[.*txt/.test(line)), ['[x] a.txt · not saved', '[ ] b.txt']);
  await carryOut();
  assert.deepEqual([document.getText(), read(root, 'b.txt'), api.reviews.all.length], ['typed\na\nB\nc\n', 'x\n', 0], notices());
});

test('what is typed while it is applied stays, and what is left is planned anew', async () => {
  const root = project({ 'a.txt': 'a\nb\n', 'b.txt': 'x\n' });
  const api = editor(root);
  const documents = ['a.txt', 'b.txt'].map((name) => person.open(path.join(root, name)));
  documents.forEach((document) => document.type(0, 0, 'mine '));
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x', 'y', 'abd'));
  let once = true;
  person.beforeEdit = () => {
    if (once) {
      once = false;
      documents[0]!.type(0, 0, 'late ');
    }
  };
  await carryOut();
  assert.deepEqual(documents.map((document) => document.getText()), ['late mine a\nb\n', 'mine y\n']);
  assert.match(notices(), /typed into meanwhile: a\.txt/);
  assert.deepEqual(shown().filter((line) => /^\[.*txt/.test(line)), ['[x] a.txt · not saved'], notices());
  await carryOut();
  assert.deepEqual(documents.map((document) => document.getText()), ['late mine a\nB\n', 'mine y\n']);
  assert.equal(api.reviews.all.length, 0);
});

/** Applies an answer to files as the daemon does it alone. */
async function reference(files: Record<string, string>, answer: string): Promise<string> {
  const root = project(files);
  await editorApi!.daemon.call('execute', { root, text: answer });
  return root;
}
let editorApi: ReturnType<typeof editor> | undefined;

test('answers to documents equal answers to files: line ends, marks, no final newline, astral characters, tabs', async () => {
  const number = random(11);
  const rounds = process.env['CLADA_ALL'] ? 100 : 2;
  for (let round = 0; round < rounds; round += 1) {
    const { files, answer } = documents(number);
    const root = project(files);
    editorApi = editor(root);
    const open = new Map<string, Document>();
    const inputs = { ...files };
    for (const name of Object.keys(files)) {
      const how = number(3);
      if (how > 0) {
        const document = person.open(path.join(root, name));
        open.set(name, document);
        if (how > 1) {
          document.type(document.getText().length, 0, 'typed');
          inputs[name] = (document.mark ? '\ufeff' : '') + document.getText();
        }
      }
    }
    await apply(answer);
    const blocked = editorApi.reviews.get(root)?.model.units.filter((unit) => unit.blocked) ?? [];
    assert.deepEqual(blocked.map((unit) => unit.blocked), []);
    await carryOut();
    const other = await reference(inputs, answer);
    for (const name of Object.keys(files)) {
      const document = open.get(name);
      const found = document?.isDirty ? (document.mark ? '\ufeff' : '') + document.getText() : read(root, name);
      assert.deepEqual(found, read(other, name), `${round} ${name} ${JSON.stringify(inputs[name])}`);
    }
    assert.ok([...open].every(([name, document]) => document.isDirty === (inputs[name] !== files[name])));
    await run('undo');
    for (const name of Object.keys(files)) {
      const document = open.get(name);
      const found = document?.isDirty ? (document.mark ? '\ufeff' : '') + document.getText() : read(root, name);
      assert.deepEqual(found, inputs[name], `${round} ${name}, undone: ${notices()}`);
    }
  }
});

test('random typing between plan and carrying out loses nothing', async () => {
  const number = random(3);
  const rounds = process.env['CLADA_ALL'] ? 500 : 4;
  for (let round = 0; round < rounds; round += 1) {
    const text = Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join('');
    const answer = replaces('a.txt', 'line 3\n', 'three\n3\n') + replaces('a.txt', 'line 9\n', '', 'abd');
    const root = project({ 'a.txt': text });
    editorApi = editor(root);
    const document = person.open(path.join(root, 'a.txt'));
    document.type(0, 0, 'first\n');
    await apply(answer);
    const type = () => {
      // Nobody types into the middle of a character.
      const units = [...document.getText()];
      const at = number(units.length);
      const from = units.slice(0, at).join('').length;
      const length = number(3) === 0 ? units.slice(at, at + number(12)).join('').length : 0;
      document.type(from, length, ['w', '\n', '😀', 'line 3\n'][number(4)]!);
    };
    for (let times = number(3); times >= 0; times -= 1) {
      type();
    }
    if (number(2)) {
      person.beforeEdit = () => {
        person.beforeEdit = undefined;
        type();
      };
    }
    let typed = document.getText();
    for (let tries = 0; tries < 4 && editorApi.reviews.get(root); tries += 1) {
      const before = document.getText();
      typed = before === typed ? typed : before;
      await carryOut();
      typed = editorApi.reviews.get(root) ? document.getText() : typed;
    }
    const other = await reference({ 'a.txt': typed }, answer);
    assert.equal(document.getText(), read(other, 'a.txt'), `${round}: ${notices()}`);
  }
});

test('a command waits until its documents are saved, or is left out', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const api = editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(0, 0, 'x\n');
  const answer = replaces('a.txt', 'a\n', 'b\n') + block('abd', { action: 'run', command: 'git init repository' });
  await apply(answer);
  const command = (node: Node) => node.kind === 'unit';
  assert.match(shown().find((line) => /run git/.test(line))!, /^\[ \] run git init repository · needs approval/);
  tick(command, true);
  person.answer = () => undefined;
  await carryOut();
  assert.match(person.modals.join(), /a command needs the files as they will be[^]*a.txt/);
  assert.equal(document.getText(), 'x\na\n');
  person.answer = (_, buttons) => buttons.find((button) => button === 'Leave the command out');
  await carryOut();
  assert.deepEqual([document.getText(), document.isDirty], ['x\nb\n', true], notices());
  assert.match(person.status!.text, /1 done, 1 left out · not saved: a\.txt/);
  await run('undo');
  await apply(answer);
  tick(command, true);
  person.answer = (_, buttons) => buttons.find((button) => button.startsWith('Save 1 document'));
  await carryOut();
  assert.deepEqual([document.saves, read(root, 'a.txt'), document.getText(), api.reviews.all.length], [1, 'x\nb\n', 'x\nb\n', 0], notices());
});

test('a plan that is gone is made again; a file that changed is a conflict, told once', async () => {
  const root = project({ 'a.txt': 'a\nb\n' });
  const api = editor(root);
  await apply(replaces('a.txt', 'b\n', 'B\n'));
  await api.daemon.call('plan.drop', { root, planId: api.reviews.get(root)!.model.plan.planId });
  await carryOut();
  assert.equal(read(root, 'a.txt'), 'a\nB\n');
  await apply(replaces('a.txt', 'B\n', 'b\n') + block('abd', { action: 'file_write', path: 'n.txt', content: 'n\n' }));
  write(path.join(root, 'a.txt'), 'other\na\nB\n');
  await carryOut();
  assert.match(notices(), /planned again/);
  await carryOut();
  assert.deepEqual([read(root, 'a.txt'), read(root, 'n.txt')], ['other\na\nb\n', 'n\n'], notices());
});

test("the editor's own undo first, then ours: all of it goes back, and is done again", async () => {
  const root = project({ 'a.txt': 'a\nb\n', 'b.txt': 'x\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(0, 0, 'mine\n');
  await apply(block('abf', { action: 'run', command: 'wc -l a.txt' }) + replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x\n', 'y\n', 'abd'));
  assert.match(shown().join('\n'), /only reads: run wc -l a\.txt/);
  await run('copyReport');
  assert.match(person.clipboard, /Nothing was changed/);
  await carryOut();
  document.undo();
  await run('undo');
  assert.deepEqual([document.getText(), read(root, 'b.txt')], ['mine\na\nb\n', 'x\n'], notices());
  await run('redo');
  assert.deepEqual([document.getText(), read(root, 'b.txt')], ['mine\na\nB\n', 'y\n'], notices());
});

test('undo does all or nothing, and offers to keep what was changed', async () => {
  const root = project({ 'a.txt': 'a\nb\nc\nd\ne\n', 'b.txt': 'x\n' });
  const api = editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(0, 0, 'mine\n');
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x\n', 'y\n', 'abd'));
  await carryOut();
  document.type(document.getText().length, 0, 'later\n');
  await run('undo');
  assert.match(notices(), /a\.txt has changed since; nothing was undone/);
  assert.deepEqual([document.getText(), read(root, 'b.txt')], ['mine\na\nB\nc\nd\ne\nlater\n', 'y\n']);
  person.answer = (_, buttons) => buttons.find((button) => button.startsWith('Undo the rest'));
  await run('undo');
  await until('the merge', () => document.getText() === 'mine\na\nb\nc\nd\ne\nlater\n');
  assert.deepEqual([read(root, 'b.txt'), document.isDirty, api.reviews.all.length], ['x\n', true, 0], notices());
});

test('what is saved is one operation with the rest, and the undo at the terminal is the same', async () => {
  const root = project({ 'a.txt': 'a\n', 'b.txt': 'x\n', 'typed.txt': 'a\n' });
  const api = editor(root);
  const [saved, typed] = ['a.txt', 'typed.txt'].map((name) => person.open(path.join(root, name)));
  typed!.type(0, 0, 'mine\n');
  await apply(replaces('a.txt', 'a\n', 'A\n') + replaces('b.txt', 'x\n', 'y\n', 'abd') + replaces('typed.txt', 'a\n', 'A\n', 'abe'));
  await carryOut();
  assert.deepEqual([read(root, 'a.txt'), saved!.isDirty, typed!.getText()], ['A\n', false, 'mine\nA\n'], notices());
  const { operations } = await api.daemon.call('history.list', { root });
  assert.equal(operations.length, 1);
  assert.match(operations[0]!.summary, /a\.txt.*b\.txt.*not saved in vscode: typed\.txt/);
  // Somebody else undoes it; what is not saved stays for this window to undo.
  await api.daemon.call('undo', { root, operation: operations[0]!.operationId });
  api.undo.forget(root, operations[0]!.operationId);
  assert.deepEqual([read(root, 'a.txt'), read(root, 'b.txt')], ['a\n', 'x\n']);
  await run('undo');
  assert.equal(typed!.getText(), 'mine\na\n', notices());
});

test('hunks are shown and decided about in their documents, and only over the text that they were planned over', async () => {
  const root = project({ 'a.txt': 'a\nb\nc\nd\ne\n', 'b.txt': 'x\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('a.txt', 'e\n', 'E\n', 'abd') + replaces('b.txt', 'x\n', 'y\n', 'abe'));
  type Lens = { range: { start: { line: number } }; command: { title: string; command: string; arguments?: unknown[] } };
  const lenses = (): Promise<Lens[]> => person.lenses.provideCodeLenses(document);
  const titles = async () => (await lenses()).map(({ range, command }) => `${range.start.line} ${command.title}`);
  const accepted = ['clada +1 −1 ✓ accepted', 'leave out', 'edit'];
  assert.deepEqual(await titles(), [...accepted.map((title) => `1 ${title}`), ...accepted.map((title) => `4 ${title}`)]);
  const toggle = (await lenses())[1]!.command;
  await commands.executeCommand(toggle.command, ...toggle.arguments ?? []);
  assert.deepEqual((await titles()).slice(0, 3), ['1 clada +1 −1 ✗ left out', '1 accept', '1 edit']);
  document.type(0, 0, 'typed\n');
  assert.deepEqual(await titles(), ['0 clada: 2 hunks planned before you typed: applying plans again']);
  await carryOut();
  assert.deepEqual((await titles()).slice(0, 2), ['2 clada +1 −1 ✗ left out', '2 accept'], notices());
  await carryOut();
  assert.equal(document.getText(), 'typed\na\nb\nc\nd\nE\n', notices());
  assert.deepEqual(await lenses(), []);
});

test('regression_a_key_decides_about_the_node_that_has_the_keyboard', async () => {
  const root = project({ 'a.txt': 'a\nb\nc\nd\ne\n' });
  editor(root);
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('a.txt', 'e\n', 'E\n', 'abd'));
  // The editor selects what has the keyboard, or takes it out of the selection.
  let keyboard: Node | undefined;
  commands.registerCommand('list.toggleSelection', () => {
    const { selection } = person.tree!;
    person.tree!.selection = selection.includes(keyboard) ? selection.filter((each) => each !== keyboard) : [...selection, keyboard];
  });
  const boxes = () => shown().filter((line) => line.startsWith('[')).map((line) => line.slice(0, 3)).join('');
  const press = (at: number) => {
    [keyboard] = nodes()[at]!;
    return run('toggleHunk');
  };
  assert.equal(boxes(), '[x][x][x]');
  for (const [at, expected] of [[2, '[ ][ ][x]'], [2, '[x][x][x]'], [1, '[ ][ ][ ]'], [0, '[x][x][x]']] as const) {
    await press(at);
    assert.equal(boxes(), expected);
  }
});

test('regression_hunks_are_shown_in_documents_that_are_opened_after_the_plan', async () => {
  const root = project({ 'a.txt': 'a\nb\n', 'b.txt': 'x\n', 'c.txt': 'c\n' });
  editor(root);
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x\n', 'y\n', 'abd') + replaces('c.txt', 'c\n', 'C\n', 'abe'));
  const titles = async (document: Document) => ((await person.lenses.provideCodeLenses(document)) as { command: { title: string } }[]).map(({ command }) => command.title);
  const document = person.open(path.join(root, 'a.txt'));
  assert.deepEqual(await titles(document), ['clada +1 −1 ✓ accepted', 'leave out', 'edit']);
  // One whose file was written meanwhile does not hold what was planned over.
  write(path.join(root, 'b.txt'), 'w\nx\n');
  assert.deepEqual(await titles(person.open(path.join(root, 'b.txt'))), ['clada: 1 hunk planned before you typed: applying plans again']);
  write(path.join(root, 'b.txt'), 'x\n');
  document.type(0, 0, 'typed\n');
  assert.deepEqual(await titles(document), ['clada: 1 hunk planned before you typed: applying plans again']);
  // A document that was closed and opened again is another one.
  const closed = person.open(path.join(root, 'c.txt'));
  await titles(closed);
  closed.isClosed = true;
  assert.deepEqual(await titles(person.open(path.join(root, 'c.txt'))), ['clada +1 −1 ✓ accepted', 'leave out', 'edit']);
});

test('a hunk is edited before it is accepted, and the report says so', async () => {
  const root = project({ 'a.txt': 'a\nb\n', 'b.txt': 'x\n' });
  const api = editor(root);
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x\n', 'y\n', 'abd'));
  for (const [name, text] of [['a.txt', 'zwei\ndrei'], ['b.txt', '']] as const) {
    const review = api.reviews.get(root)!;
    const hunk = review.model.files.find(({ file }) => file.path === name)!.hunks[0]!.hunk;
    await api.edit(review, hunk, text);
  }
  assert.match(JSON.stringify(nodes().map(([, item]) => item.description)), /edited by you/);
  await carryOut();
  assert.deepEqual([read(root, 'a.txt'), read(root, 'b.txt')], ['a\nzwei\ndrei\n', ''], notices());
  await run('copyReport');
  assert.match(person.clipboard, /the user edited 1 place of it/);
});

test('an undo is of this window, and of the answer whose notice has the button', async () => {
  const root = project({ 'a.txt': 'a\nb\n', 'b.txt': 'x\n' });
  editor(root);
  await run('undo');
  assert.match(notices(), /there is nothing to undo/);
  const buttons: ((button: string | undefined) => void)[] = [];
  person.answer = (message) => /failed/.test(message) ? new Promise((resolve) => buttons.push(resolve)) as never : undefined;
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('a.txt', 'nowhere', 'x', 'abd'));
  await carryOut();
  await run('undo');
  assert.equal(read(root, 'a.txt'), 'a\nb\n');
  await apply(replaces('b.txt', 'x\n', 'y\n'));
  await carryOut();
  buttons[0]!('Undo');
  await until('the notice', () => /that answer was undone before/.test(notices()));
  assert.equal(read(root, 'b.txt'), 'y\n', notices());
  // An answer that does nothing offers no undo.
  const before = person.notices.length;
  await apply(replaces('a.txt', 'nowhere', 'x'));
  assert.match(person.notices.slice(before).join(), /0 done, 1 failed/);
  person.answer = (_, offered) => {
    assert.deepEqual(offered.includes('Undo'), false);
    return undefined;
  };
  await apply(replaces('a.txt', 'nowhere', 'x'));
  await run('undo');
  assert.equal(read(root, 'b.txt'), 'x\n');
  // What another one did is offered by what it was.
  const api = editor(root);
  await api.daemon.call('execute', { root, text: replaces('b.txt', 'x\n', 'other\n') });
  person.answer = (message, offered) => /has nothing to undo here. The last operation of the project: edited b.txt/.test(message) ? offered[0] : undefined;
  await run('undo');
  await until('the undo', () => read(root, 'b.txt') === 'x\n');
});

test('an undo that cannot be merged undoes nothing', async () => {
  const root = project({ 'a.txt': 'a\nb\nc\n', 'b.txt': 'x\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(0, 0, 'mine\n');
  await apply(replaces('a.txt', 'b\n', 'B\n') + replaces('b.txt', 'x\n', 'y\n', 'abd'));
  await carryOut();
  document.type(document.getText().indexOf('B'), 1, 'another');
  person.answer = (_, buttons) => buttons[0];
  await run('undo');
  await until('the refusal', () => /a.txt was changed in the same place; nothing was undone/.test(notices()));
  assert.deepEqual([document.getText(), read(root, 'b.txt')], ['mine\na\nanother\nc\n', 'y\n']);
});

test('an answer of whole files is a proposal, also if its dialect is named, and what stands already is named', async () => {
  const root = project({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  editor(root);
  person.clipboard = 'Here is the file.\n\na.txt\n```\ntwo\n```\n';
  person.answer = (shown, items) => shown === 'pick' ? items.find((item) => item === 'whole_file') : undefined;
  await run('applyAs');
  tick((node, label) => node.kind === 'hunks' && label.includes('two'), true);
  await carryOut();
  assert.equal(read(root, 'a.txt'), 'two\n', notices());
  await apply(block('abc', { action: 'file_write', path: 'a.txt', content: 'two\n' }) + replaces('b.txt', 'b\n', 'B\n', 'abd')
    + replaces('b.txt', 'nowhere', 'x', 'abe'));
  assert.match(shown().join('\n'), /\[task-1\] already done: file_write/);
  assert.match(nodes()[0]![1].description as string, /1 of 1 accepted, 1 failed/);
});

test('undo does neither if somebody types meanwhile', async () => {
  const root = project({ 'a.txt': 'a\n', 'b.txt': 'x\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(0, 0, 'mine ');
  await apply(replaces('a.txt', 'a\n', 'b\n') + replaces('b.txt', 'x\n', 'y\n', 'abd'));
  await carryOut();
  person.beforeEdit = () => {
    person.beforeEdit = undefined;
    document.type(0, 0, 'late ');
  };
  await run('undo');
  assert.match(notices(), /changed meanwhile; nothing was done/);
  assert.deepEqual([document.getText(), read(root, 'b.txt')], ['late mine b\n', 'y\n']);
});

test('an untrusted workspace has only the review', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const api = editor(root, { review: false });
  workspace.isTrusted = false;
  await apply(replaces('a.txt', 'a\n', 'b\n'));
  assert.equal(api.reviews.all.length, 1);
  for (const name of ['carryOut', 'undo', 'redo', 'stage', 'approve', 'restart', 'addContext']) {
    await run(name);
    assert.match(person.notices.at(-1)!, /needs a trusted workspace/, name);
  }
  assert.equal(read(root, 'a.txt'), 'a\n');
});

test('no setting of a workspace names a program, or skips the review', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const evil = path.join(root, 'evil');
  fs.writeFileSync(evil, '#!/bin/sh\ntouch "$0.ran"\n', { mode: 0o755 });
  const api = editor(root);
  person.workspaceSettings = { client: evil, daemon: evil, socket: path.join(root, 's'), review: false, approvalNotices: false };
  await apply(replaces('a.txt', 'a\n', 'b\n'));
  assert.deepEqual([api.reviews.all.length, fs.existsSync(`${evil}.ran`), read(root, 'a.txt')], [1, false, 'a\n'], notices());
  // Nor do arguments of a command, as a task or a link gives them.
  await run('discard');
  person.clipboard = '';
  await run('apply', { text: replaces('a.txt', 'a\n', 'b\n'), review: false });
  await run('applyClipboard', { text: replaces('a.txt', 'a\n', 'b\n'), review: false });
  assert.deepEqual([api.reviews.all.length, read(root, 'a.txt')], [0, 'a\n']);
});

test('without review, what needs no decision is applied', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const api = editor(root, { review: false });
  await apply(replaces('a.txt', 'a\n', 'b\n'));
  assert.deepEqual([read(root, 'a.txt'), api.reviews.all.length], ['b\n', 0]);
  await apply(block('abd', { action: 'run', command: 'git init repository' }));
  assert.equal(api.reviews.all.length, 1);
});

test('places on other machines are refused, and of several folders one is asked for', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const api = editor(root);
  person.edit({ uri: Uri.from({ scheme: 'vscode-vfs', path: '/x' }), getText: () => '' } as never);
  await apply('x');
  assert.match(notices(), /vscode-vfs: is not a place of files here.*runs where the files are/);
  window.activeTextEditor = undefined;
  const other = project({ 'a.txt': 'a\n' });
  workspace.workspaceFolders.push({ uri: Uri.file(other), name: 'other' });
  await apply(replaces('a.txt', 'a\n', 'b\n'));
  assert.equal(api.reviews.all.length, 0);
  person.answer = (asked) => asked === 'folder' ? 'other' : undefined;
  await apply(replaces('a.txt', 'a\n', 'b\n'));
  assert.deepEqual(api.reviews.all.map(({ flow }) => flow.root), [other], notices());
});

test('failures are at their places, and the report for the model is in the clipboard', async () => {
  const root = project({ 'a.txt': 'a\nold text here\nc\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  await apply(replaces('a.txt', 'old text hear\n', 'x\n') + block('abd', { action: 'file_write', path: 'n.txt', content: 'n\n' }));
  await carryOut();
  const [found] = person.diagnostics.get(document.uri.fsPath)!;
  assert.match(found!.message, /^no_match/);
  assert.match(person.clipboard, /no_match|not found|old_text/);
  assert.match(person.output, /n\.txt/);
  await run('undo');
  assert.equal(person.diagnostics.size, 0);
  await run('redo');
  const kept = person.clipboard;
  person.clipboard = '';
  await run('copyReport');
  assert.equal(person.clipboard, kept);
  await apply(block('abe', { action: 'file_write', path: 'm.txt', content: 'm\n' }));
  const before = person.clipboard;
  await carryOut();
  assert.equal(person.clipboard, before);
  assert.equal(person.diagnostics.size, 0);
});

test('what another failure holds back is a problem, what was left out is none', async () => {
  const root = project({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd.txt': 'd\n' });
  editor(root);
  const edit = (file: string, old: string) => `<edit path="${file}"><search>${old}</search><replace>x</replace></edit>\n`;
  await apply(`<tasks version="1.0">\n${edit('a.txt', 'none')}${edit('b.txt', 'b')}</tasks>\n`
    + replaces('c.txt', 'c\n', 'C\n') + replaces('d.txt', 'd\n', 'D\n', 'abd'));
  tick(isFile('c.txt'), false);
  await carryOut();
  assert.match(notices(), /1 done, 1 failed, 1 not applied, 1 left out/);
  const found = [...person.diagnostics].map(([name, [first]]) => [path.basename(name), first!.message.replace(/:.*/s, ''), first!.severity]);
  assert.deepEqual(found.sort(), [['a.txt', 'no_match', 0], ['b.txt', 'skipped', 1]]);
});

test('hostile text is shown without harm', async () => {
  const name = 'a [x](command:clada.undo) $(bell).txt';
  const root = project({ [name]: 'a\n' });
  editor(root);
  const text = 'b \u001b[31m \u202e [x](command:clada.undo) $(bell)';
  await apply(replaces(name, 'a', text) + replaces(name, `none [x](command:y) ${text}`, 'x', 'abd'));
  const all = nodes().flatMap(([, item]) => [item.label, item.description, item.tooltip]).filter((each) => typeof each === 'string');
  assert.ok(all.length > 3);
  assert.match(shown().join('\n'), /^\[x\] a \[x\] \(command:clada\.undo\) \$ \(bell\)\.txt/m);
  await carryOut();
  const said = [...all.map(String), ...person.notices, person.status?.text.replace(/^\$\(\w+\)/, '') ?? ''];
  // Labels, remarks and notices may render icons and links; none of them is left.
  assert.deepEqual(said.filter((each) => /[\u001b\u202e]/.test(each)), []);
  assert.deepEqual(person.notices.filter((each) => /\]\(|\$\(/.test(each)), []);
  assert.doesNotMatch(person.output, /[\u001b\u202e]/);
});

test('what others do is told, and reloads no modified document', async () => {
  const root = project({ 'a.txt': 'a\n', 'b.txt': 'x\n' });
  const first = editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(0, 0, 'mine ');
  await apply(replaces('b.txt', 'x\n', 'y\n'));
  await carryOut();
  await first.daemon.call('status', {});
  assert.doesNotMatch(person.output, /Another program/);
  const { daemon } = first;
  const agent = new (daemon.constructor as typeof import('../src/connection').Daemon)({
    name: 'another', version: '1', programs: () => ({ client: '', daemon: '', socket: process.env['CLADA_SOCKET']! }), notified: () => {},
    subscribed: () => {}, changed: () => {}, slow: () => {},
  });
  const result: ExecutionResult = await agent.call('execute', { root, text: block('abd', { action: 'file_write', path: 'a.txt', content: 'other\n' }) });
  assert.equal(result.success, true);
  await until('the event', () => /Another program: executed in .*a\.txt/.test(person.output));
  assert.equal(document.getText(), 'mine a\n');
  agent.dispose();
});

test('history shows and undoes an operation', async () => {
  const root = project({ 'a.txt': 'a\n' });
  editor(root);
  await apply(`A title\n${replaces('a.txt', 'a\n', 'b\n')}`);
  await carryOut();
  const operations = async () => {
    let labels: string[] = [];
    person.answer = (what, all) => what === 'pick' ? void (labels = all) : undefined;
    await run('history');
    return labels;
  };
  await run('undo');
  await run('redo');
  assert.deepEqual(await operations(), ['redo: edited a.txt', 'undo: edited a.txt', 'A title'], notices());
  person.answer = (_, labels) => labels.find((label) => label === 'Show what it changed') ?? labels[0];
  await run('history');
  const diff = workspace.textDocuments.find(({ uri }) => uri.scheme === 'clada')!;
  assert.match(diff.getText(), /-a\n\+b\n/);
  assert.equal(diff.languageId, 'diff');
  person.answer = (_, labels) => labels.find((label) => label === 'Undo it') ?? labels[0];
  await run('history');
  assert.equal(read(root, 'a.txt'), 'a\n');
});

test('what is embedded is what the editor holds: files, or a selection with its lines', async () => {
  const root = project({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'bee\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  document.type(4, 3, 'TYPED');
  person.edit(document, new Selection(1, 0, 2, 0));
  await run('embed');
  assert.match(person.clipboard, /a\.txt/);
  assert.match(person.clipboard, /TYPED/);
  assert.doesNotMatch(person.clipboard, /one|three/);
  const [a, b] = [Uri.file(path.join(root, 'a.txt')), Uri.file(path.join(root, 'b.txt'))];
  await run('embed', a, [a, b]);
  assert.match(person.clipboard, /one\nTYPED\nthree[^]*bee/);
  assert.match(notices(), /2 files, \d+ tokens in the clipboard/);
  await run('addContext', b, [b]);
  assert.match(notices(), /1 path in the context/);
  person.clipboard = '';
  await run('embedContext');
  assert.match(person.clipboard, /bee/);
});

test('a moved file takes its tab along, and back', async () => {
  const root = project({ 'a.txt': 'a\n' });
  editor(root);
  const document = person.open(path.join(root, 'a.txt'));
  const input = new TabInputText(document.uri);
  person.tabs = [{ input, isDirty: false, isActive: true }];
  await apply(block('abc', { action: 'file_move', old_path: 'a.txt', new_path: 'd/b.txt' }));
  await carryOut();
  const tabs = () => person.tabs.map((tab) => path.relative(root, tab.input.uri.fsPath));
  assert.deepEqual(tabs(), ['d/b.txt'], notices());
  await run('undo');
  assert.deepEqual(tabs(), ['a.txt'], notices());
});

test('an answer without a root of its own marks is for the folder that is open', async () => {
  const root = project({ 'sub/deep/a.txt': 'a\n' });
  fs.rmSync(path.join(root, '.git'), { recursive: true });
  const api = editor(root);
  person.edit(person.open(path.join(root, 'sub/deep/a.txt')));
  await apply(replaces('sub/deep/a.txt', 'a\n', 'b\n'));
  assert.deepEqual(api.reviews.all.map(({ flow }) => flow.root), [root], notices());
  // A marked folder below it is the file's own.
  fs.mkdirSync(path.join(root, 'sub/.git'));
  await apply(replaces('deep/a.txt', 'a\n', 'b\n'));
  assert.deepEqual(api.reviews.all.map(({ flow }) => flow.root), [root, path.join(root, 'sub')], notices());
});
