// What is tested in a real VS Code, beside the extension. It writes its results to a file.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { block, documents, random } = require('../../random');

const results = process.env.CLADA_RESULTS;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const run = (name, ...words) => vscode.commands.executeCommand(name, ...words);

async function until(what, found) {
  for (const began = Date.now(); Date.now() - began < 30_000; await sleep(20)) {
    const it = await found();
    if (it) {
      return it;
    }
  }
  assert.fail(`never came: ${what}`);
}

const replaces = (id, file, from, to) => block(id, { action: 'file_replace_text', path: file, old_text: from, new_text: to });

function tree(folder, below = '') {
  const found = {};
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

async function open(root, name) {
  const document = await vscode.workspace.openTextDocument(path.join(root, name));
  await vscode.window.showTextDocument(document, { preview: false });
  return document;
}

/** Types a text in place of all of a document, as a person would: what is typed after belongs to the same step. */
async function retype(document, text) {
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const last = document.lineAt(document.lineCount - 1).range.end;
  await editor.edit((edit) => edit.replace(new vscode.Range(new vscode.Position(0, 0), last), text));
}

/** The editor's own undo or redo in a document. */
async function own(what, document) {
  await vscode.window.showTextDocument(document, { preview: false });
  const { version } = document;
  await run(what);
  await until(what, () => document.version !== version);
}

const tests = {
  'an answer goes to unsaved documents, as one step of undo': async (api, root) => {
    fs.writeFileSync(path.join(root, 'one.txt'), 'a\nb\nc\n');
    const document = await open(root, 'one.txt');
    await retype(document, 'a\nb\nc\ntyped\n');
    await api.apply(root, replaces('a01', 'one.txt', 'b\n', 'B\nB\n') + replaces('a02', 'one.txt', 'typed\n', 'TYPED\n'));
    await run('clada.carryOut');
    assert.equal(document.getText(), 'a\nB\nB\nc\nTYPED\n');
    assert.ok(document.isDirty);
    assert.equal(fs.readFileSync(path.join(root, 'one.txt'), 'utf8'), 'a\nb\nc\n');
    await own('undo', document);
    assert.equal(document.getText(), 'a\nb\nc\ntyped\n');
    await own('redo', document);
    await run('clada.undo');
    assert.equal(document.getText(), 'a\nb\nc\ntyped\n');
    assert.ok(document.isDirty);
  },

  'what an answer only shows is applied if it is ticked': async (api, root) => {
    fs.writeFileSync(path.join(root, 'shown.py'), 'import os\n\nX = 1\n\n\ndef a():\n    return X\n');
    const document = await open(root, 'shown.py');
    await api.apply(root, 'Here is the updated `shown.py`:\n\n```python\n' + document.getText().replace('X = 1', 'X = 2') + '```\n');
    const { model } = api.reviews.get(root);
    assert.deepEqual(model.units.map(({ id, accepted }) => [id, accepted]), [['p1', false]]);
    const nodes = (node) => api.reviews.getChildren(node).flatMap((each) => [each, ...nodes(each)]);
    api.reviews.tick([[nodes().find(({ kind }) => kind === 'hunks'), vscode.TreeItemCheckboxState.Checked]]);
    await run('clada.carryOut');
    assert.ok(document.getText().includes('X = 2') && !document.isDirty);
    await run('clada.undo');
    await until('the text of before', () => document.getText().includes('X = 1'));
  },

  'the case of all editors': async (api, root) => {
    const fixture = path.join(process.env.CLADA_EDITORS, 'fixture');
    const about = JSON.parse(fs.readFileSync(path.join(fixture, 'case.json'), 'utf8'));
    const project = path.join(root, 'case');
    fs.cpSync(path.join(fixture, 'before'), project, { recursive: true });
    fs.mkdirSync(path.join(project, '.git'));
    const before = tree(project);
    const unsaved = tree(path.join(fixture, 'unsaved'));
    const modified = [];
    for (const [name, text] of Object.entries(unsaved)) {
      const document = await open(project, name);
      await retype(document, Buffer.from(text, 'latin1').toString());
      modified.push({ name, document });
    }
    const further = [];
    for (const name of about.open) {
      further.push(await open(project, name));
    }
    await api.apply(project, fs.readFileSync(path.join(fixture, 'answer.md'), 'utf8'));
    const { model } = api.reviews.get(project);
    for (const { path: name, hunk } of about.leaveOut) {
      model.files.find(({ file }) => file.path === name).hunks[hunk].unit.accepted = false;
    }
    await run('clada.carryOut');
    const texts = () => Object.fromEntries(modified.map(({ name, document }) => [name, Buffer.from(document.getText()).toString('latin1')]));
    const edited = tree(path.join(fixture, 'edited'));
    assert.deepEqual(tree(project), tree(path.join(fixture, 'after')));
    assert.deepEqual(texts(), edited);
    assert.ok(modified.every(({ document }) => document.isDirty));
    const tabs = () => vscode.window.tabGroups.all.flatMap(({ tabs: all }) => all.map(({ input }) => path.relative(project, input?.uri?.fsPath ?? '')));
    assert.ok(tabs().includes('to.txt') && !tabs().includes('from.txt'), tabs().join(' '));
    for (const { document } of modified) {
      await own('undo', document);
    }
    assert.deepEqual(texts(), unsaved);
    for (const { document } of modified) {
      await own('redo', document);
    }
    assert.deepEqual(texts(), edited);
    await vscode.window.showTextDocument(modified[0].document);
    await run('clada.undo');
    assert.deepEqual(tree(project), before);
    assert.deepEqual(texts(), unsaved);
    assert.ok(modified.every(({ document }) => document.isDirty));
  },

  'what is saved is one operation, hunks are decided about in their documents, and edited': async (api, root) => {
    const project = path.join(root, 'saved');
    fs.mkdirSync(path.join(project, '.git'), { recursive: true });
    for (const name of ['open.txt', 'closed.txt', 'later.txt']) {
      fs.writeFileSync(path.join(project, name), 'a\nb\nc\nd\ne\nf\ng\nh\ni\n');
    }
    const before = tree(project);
    const document = await open(project, 'open.txt');
    await api.apply(project, replaces('a01', 'open.txt', 'b\n', 'B\n') + replaces('a02', 'open.txt', 'i\n', 'I\n') + replaces('a03', 'closed.txt', 'b\n', 'B\n') + replaces('a04', 'later.txt', 'b\n', 'B\n'));
    const lenses = async ({ uri } = document) => (await run('vscode.executeCodeLensProvider', uri, 20)).map(({ range, command }) => `${range.start.line} ${command?.title}`);
    const line = (at, state, decide) => [`${at} clada +1 −1 ${state}`, `${at} ${decide}`, `${at} edit`];
    assert.deepEqual((await lenses()).sort(), [...line(1, '✓ accepted', 'leave out'), ...line(8, '✓ accepted', 'leave out')].sort());
    // A document that is opened after the plan has its hunks, too.
    assert.deepEqual((await lenses(await open(project, 'later.txt'))).sort(), line(1, '✓ accepted', 'leave out').sort());
    const review = () => api.reviews.get(project);
    const shown = () => review().model.files.find(({ file }) => file.path === 'open.txt');
    const node = (index) => ({ kind: 'hunks', review: review(), shown: shown(), unit: shown().hunks[index].unit, hunks: [shown().hunks[index].hunk] });
    await run('clada.toggleHunk', node(1));
    assert.ok((await lenses()).includes('8 clada +1 −1 ✗ left out'));
    await run('clada.editHunk', node(0));
    const editor = await until('the lines to edit', () => vscode.window.activeTextEditor?.document.isUntitled && vscode.window.activeTextEditor);
    assert.equal(editor.document.getText(), 'B\n');
    await retype(editor.document, 'BB\nBBB\n');
    await run('clada.useLines');
    await until('the edited hunk', () => shown().hunks[0].hunk.added.join('') === 'BB\nBBB\n');
    assert.equal(vscode.workspace.textDocuments.some(({ isUntitled, isClosed }) => isUntitled && !isClosed), false);
    await vscode.window.showTextDocument(document, { preview: false });
    await run('clada.carryOut');
    const after = { 'open.txt': 'a\nBB\nBBB\nc\nd\ne\nf\ng\nh\ni\n', 'closed.txt': before['closed.txt'].replace('b', 'B'), 'later.txt': before['later.txt'].replace('b', 'B') };
    assert.deepEqual([tree(project), document.isDirty], [after, false]);
    const { operations } = await api.daemon.call('history.list', { root: project });
    assert.equal(operations.length, 1);
    for (const [command, files] of [['undo', before], ['redo', after], ['undo', before]]) {
      await run(`clada.${command}`);
      assert.deepEqual(tree(project), files, command);
      await until(`the document after ${command}`, () => document.getText() === files['open.txt']);
      assert.equal(document.isDirty, false);
    }
  },

  'random answers give documents what they give files, and back': async (api, root) => {
    const number = random(29);
    for (let round = 0; round < (process.env.CLADA_ALL ? 100 : 1); round += 1) {
      const { files, answer } = documents(number);
      const make = (name, texts) => {
        const folder = path.join(root, `${name}${round}`);
        fs.mkdirSync(path.join(folder, '.git'), { recursive: true });
        Object.entries(texts).forEach(([file, text]) => fs.writeFileSync(path.join(folder, file), text));
        return folder;
      };
      const project = make('random', files);
      const inputs = { ...files };
      const held = new Map();
      for (const [name, text] of Object.entries(files)) {
        const how = number(3);
        if (how > 0) {
          const document = await open(project, name);
          const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
          held.set(name, { document, mark });
          if (how > 1) {
            const end = document.lineAt(document.lineCount - 1).range.end;
            await vscode.window.activeTextEditor.edit((edit) => edit.insert(end, 'typed'));
            inputs[name] = mark + document.getText();
          }
        }
      }
      const now = (name) => held.get(name)?.document.isDirty ? held.get(name).mark + held.get(name).document.getText()
        : fs.readFileSync(path.join(project, name), 'utf8');
      await api.apply(project, answer);
      assert.ok(api.reviews.get(project).model.units.every(({ blocked }) => !blocked));
      await run('clada.carryOut');
      const other = make('files', inputs);
      await api.daemon.call('execute', { root: other, text: answer });
      for (const name of Object.keys(files)) {
        const about = `${round} ${name} ${JSON.stringify(inputs[name])}`;
        assert.equal(now(name), fs.readFileSync(path.join(other, name), 'utf8'), about);
        assert.equal(held.get(name)?.document.isDirty ?? false, inputs[name] !== files[name], about);
      }
      await vscode.window.showTextDocument([...held.values()][0].document);
      await run('clada.undo');
      Object.keys(files).forEach((name) => assert.equal(now(name), inputs[name], `${round} ${name}, undone`));
      for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
        await vscode.window.showTextDocument(document);
        await run('workbench.action.files.revert');
      }
      await run('workbench.action.closeAllEditors');
    }
  },
};

exports.activate = async () => {
  const done = [];
  try {
    const ours = vscode.extensions.getExtension('clada.clada');
    const api = await ours.activate();
    const root = vscode.workspace.workspaceFolders[0].uri.fsPath;
    const registered = new Set(await vscode.commands.getCommands(true));
    const named = ours.packageJSON.contributes.commands.map(({ command }) => command);
    done.push({ name: 'every command is registered', ...(named.every((name) => registered.has(name)) ? {} : { error: named.join(' ') }) });
    for (const [name, test] of Object.entries(tests)) {
      try {
        await test(api, root);
        done.push({ name });
      } catch (error) {
        done.push({ name, error: String(error.stack) });
      }
    }
  } catch (error) {
    done.push({ name: 'activation', error: String(error.stack) });
  }
  fs.writeFileSync(path.join(results, 'done.tmp'), JSON.stringify(done));
  fs.renameSync(path.join(results, 'done.tmp'), path.join(results, 'done.json'));
};
