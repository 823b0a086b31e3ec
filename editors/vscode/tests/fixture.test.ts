/** The case that every editor has to pass: editors/fixture. */

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after } from 'node:test';
import type { Node } from '../src/review';
import { carryOut, editor, end, nodes, person, project, replaces, run, shown, test, tick, tree } from './world';
import { EndOfLine, TabInputText, Uri } from './vscode';

const fixture = path.join(process.env['CLADA_EDITORS']!, 'fixture');
const about = JSON.parse(fs.readFileSync(path.join(fixture, 'case.json'), 'utf8'));

after(end);

for (const isOpen of [true, false]) {
  test(`the case of all editors, ${isOpen ? 'with' : 'without'} further documents open`, async () => {
    const root = project();
    fs.cpSync(path.join(fixture, 'before'), root, { recursive: true });
    const before = tree(root);
    editor(root);
    const unsaved = tree(path.join(fixture, 'unsaved'));
    const modified = Object.entries(unsaved).map(([name, text]) => {
      const document = person.open(path.join(root, name));
      const now = Buffer.from(text, 'latin1').toString();
      // Typed as a person does, at one place after another.
      document.type(0, document.getText().length, now);
      assert.equal(document.getText(), now);
      return { name, document };
    });
    const further = isOpen ? about.open.map((name: string) => person.open(path.join(root, name))) : [];
    person.tabs = further.map(({ uri }: { uri: Uri }) => ({ input: new TabInputText(uri), isDirty: false, isActive: true }));
    person.clipboard = fs.readFileSync(path.join(fixture, 'answer.md'), 'utf8');

    await run('apply');
    const all = nodes();
    const of = (kind: string) => all.filter(([node]) => node.kind === kind);
    const hunks = of('hunks').length;
    assert.deepEqual([of('file').length, of('unit').map(([, item]) => item.label)],
      [about.review.files, about.review.commands.map((command: string) => `run ${command}`)], shown().join('\n'));
    assert.equal(hunks, about.review.hunks, shown().join('\n'));
    const failures = all.filter(([node, item]) => node.kind === 'note' && item.iconPath && node.bad);
    assert.equal(failures.length, about.review.failures.length, shown().join('\n'));
    assert.match(failures[0]![1].label as string, /fails\.txt/);
    assert.equal(of('unit')[0]![1].checkboxState, 0);

    for (const { path: name, hunk } of about.leaveOut) {
      const units = nodes().filter(([node]) => node.kind === 'hunks' && node.shown.file.path === name);
      const [left] = units[hunk]!;
      tick((node: Node) => node.kind === 'hunks' && left.kind === 'hunks' && node.unit === left.unit, false);
    }
    await carryOut();
    assert.deepEqual(tree(root), tree(path.join(fixture, 'after')), person.notices.join('\n'));
    const edited = tree(path.join(fixture, 'edited'));
    const texts = () => Object.fromEntries(modified.map(({ name, document }) => [name, Buffer.from(document.getText()).toString('latin1')]));
    assert.deepEqual(texts(), edited);
    assert.ok(modified.every(({ document }) => document.isDirty && document.saves === 0));
    assert.ok(further.every(({ isDirty }: { isDirty: boolean }) => !isDirty));
    if (isOpen) {
      const names = person.tabs.map(({ input }) => path.relative(root, input.uri.fsPath));
      assert.ok(names.includes(about.moved['from.txt']) && !names.includes('from.txt'), names.join(' '));
    }
    const { done, failed, leftOut } = about.result;
    assert.match(person.status!.text, new RegExp(`${done} done, ${failed} failed, ${leftOut} left out`));

    // The editor's own undo, once, and redo.
    modified.forEach(({ document }) => document.undo());
    assert.deepEqual(texts(), unsaved);
    modified.forEach(({ document }) => document.redo());
    assert.deepEqual(texts(), edited);

    await run('undo');
    assert.deepEqual(tree(root), before, person.notices.join('\n'));
    assert.deepEqual(texts(), unsaved);
    assert.ok(modified.every(({ document }) => document.isDirty && document.saves === 0));
    await run('redo');
    assert.deepEqual(texts(), edited, person.notices.join('\n'));
    assert.deepEqual(tree(root), tree(path.join(fixture, 'after')));
  });
}

for (const each of JSON.parse(fs.readFileSync(path.join(fixture, 'formatters.json'), 'utf8'))) {
  test(`what a formatter does on save goes back with the answer: it ${each.name}`, async () => {
    const root = project({ 'a.txt': each.before });
    editor(root, { review: false });
    const document = person.open(path.join(root, 'a.txt'));
    person.beforeSave = (saved) => {
      const text = saved.getText() === each.applied ? each.formatted : saved.getText() === each.before ? each.again : undefined;
      if (text !== undefined) {
        saved.eol = text.includes('\r\n') ? EndOfLine.CRLF : EndOfLine.LF;
        saved.type(0, saved.getText().length, text);
      }
    };
    const isNow = (text: string) => {
      assert.deepEqual([document.getText(), document.isDirty, tree(root)['a.txt']], [text, false, text], person.notices.join('\n'));
    };
    person.clipboard = replaces(path.join(root, 'a.txt'), each.old, each.new);
    await run('applyClipboard');
    isNow(each.formatted);
    if (each.formatted === each.before) {
      await run('undo');
      assert.match(person.notices.join(), /there is nothing to undo/);
      isNow(each.before);
      return;
    }
    for (const [command, text] of [['undo', each.before], ['redo', each.formatted], ['undo', each.before]]) {
      await run(command);
      isNow(text);
    }
  });
}
