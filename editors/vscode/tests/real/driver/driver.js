// What is tested in a real VS Code, beside the extension. It writes its results to a file.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

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

function block(id, values) {
  const lines = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  return `#!SHAM [@three-char-SHA-256: ${id}]\n${lines.join('')}#!END_SHAM_${id}\n`;
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
