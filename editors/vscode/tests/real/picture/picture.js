// The picture of docs/vscode.md: node run.js INSTALL CHROMIUM TOP editors/vscode/tests/real/picture writes TOP/results/review.png.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const results = process.env.CLADA_RESULTS;
const BEFORE = `from colours import GREEN, RED


def paint(report):
    """The report, with a colour for the status of each task."""
    painted = []
    for line in report.splitlines():
        colour = colour_of(line)
        painted.append(colour + line if colour else line)
    return "\\n".join(painted)


def colour_of(line):
    task, _, status = line.partition("] ")
    if not task.startswith("[task-"):
        return None
    match status.split(":")[0]:
        case "SUCCESS" | "VALID" | "PLANNED":
            return GREEN
        case _:
            return RED
`;

function block(id, values) {
  const lines = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  return `#!SHAM [@three-char-SHA-256: ${id}]\n${lines.join('')}#!END_SHAM_${id}\n`;
}
const replaces = (id, file, from, to) => block(id, { action: 'file_replace_text', path: file, old_text: from, new_text: to });

exports.activate = async () => {
  let error;
  try {
    const api = await vscode.extensions.getExtension('clada.clada').activate();
    const root = vscode.workspace.workspaceFolders[0].uri.fsPath;
    fs.writeFileSync(path.join(root, 'paint.py'), BEFORE);
    fs.writeFileSync(path.join(root, 'colours.py'), 'GREEN = "\\x1b[32m"\nRED = "\\x1b[31m"\n');
    const document = await vscode.workspace.openTextDocument(path.join(root, 'paint.py'));
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '"""Colours of reports."""\n\n'));
    await vscode.env.clipboard.writeText([
      replaces('a01', path.join(root, 'colours.py'), 'RED =', 'YELLOW = "\\x1b[33m"\nRED ='),
      replaces('a02', path.join(root, 'paint.py'), 'GREEN, RED', 'GREEN, RED, YELLOW'),
      replaces('a03', path.join(root, 'paint.py'), '            return GREEN\n', '            return GREEN\n        case "SKIP":\n            return YELLOW\n'),
      replaces('a04', 'paint.py', 'case "FATAL"', 'case "ERROR" | "FATAL"'),
      block('a05', { action: 'file_write', path: path.join(root, 'NOTES.md'), content: '# Notes\n\nSkipped tasks are yellow.\n' }),
      block('a06', { action: 'run', command: 'make check' }),
    ].join(''));
    await vscode.commands.executeCommand('clada.applyClipboard');
    // VS Code loses what is refreshed while it fills a tree for the first time.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const nodes = (node) => api.reviews.getChildren(node).flatMap((each) => [each, ...nodes(each)]);
    const tick = vscode.TreeItemCheckboxState.Unchecked;
    api.reviews.tick(nodes().filter(({ kind, shown }) => kind === 'file' && shown.file.path === 'NOTES.md').map((node) => [node, tick]));
    await api.reviews.show(nodes().find(({ kind, shown, hunks }) => kind === 'hunks' && shown.file.path === 'paint.py' && hunks[0].start > 9));
    await vscode.commands.executeCommand('clada.review.focus');
    for (let times = 0; times < 3; times += 1) {
      await vscode.commands.executeCommand('workbench.action.increaseViewSize');
    }
    await new Promise((resolve) => setTimeout(resolve, 4000));
    fs.writeFileSync(path.join(results, 'review.shot'), '');
    while (!fs.existsSync(path.join(results, 'review.png'))) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } catch (oops) {
    error = String(oops.stack);
  }
  fs.writeFileSync(path.join(results, 'done.tmp'), JSON.stringify([{ name: 'the picture', ...(error ? { error } : {}) }]));
  fs.renameSync(path.join(results, 'done.tmp'), path.join(results, 'done.json'));
};
