/**
 * Open documents as the daemon needs them: overlays of those that are modified, and edits that come back.
 *
 * Knows the editor's documents. It must not know plans, and compares no texts but for equality.
 */

import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Overlay, TextEdit } from './protocol';
import { spliced } from './text';

const BOM = '\ufeff';

export interface Held {
  readonly document: vscode.TextDocument;
  /** Its file, resolved. */
  readonly path: string;
  readonly version: number;
  readonly dirty: boolean;
  /** True if it is saved with a byte order mark. */
  readonly mark: boolean;
  /** The reason why its text cannot be given to the daemon. */
  readonly refused: string | undefined;
}

/** Resolves the links of a path, also of one whose end is not there. */
export async function canonical(file: string): Promise<string> {
  const parent = path.dirname(file);
  return fs.realpath(file).catch(async () =>
    parent === file ? file : path.join(await canonical(parent), path.basename(file)));
}

/** Returns the text of a file, with its byte order mark; nothing if there is none, or it is not UTF-8. */
export async function read(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(await fs.readFile(file)));
  } catch {
    return undefined;
  }
}

/** Returns the documents below a root, by their resolved paths. */
export async function documents(root: string): Promise<Map<string, Held>> {
  const top = (await canonical(root)).replace(/\/?$/, '/');
  const files = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === 'file' && !isClosed);
  const held = await Promise.all(files.map(async (document): Promise<Held> => {
    const file = await canonical(document.uri.fsPath);
    const { mark, refused } = document.isDirty && file.startsWith(top) ? await encoding(document, file)
      : { mark: false, refused: undefined };
    return { document, path: file, version: document.version, dirty: document.isDirty, mark, refused };
  }));
  // Nothing may wait between here and the texts: they are of these versions.
  const now = held.filter((each) => each.path.startsWith(top) && !each.document.isClosed);
  return new Map(now.map((each) =>
    [each.path, { ...each, version: each.document.version, dirty: each.document.isDirty }]));
}

/** Says how a document would be written. Editors from 1.100 on know; before, its file tells. */
async function encoding(document: vscode.TextDocument, file: string): Promise<Pick<Held, 'mark' | 'refused'>> {
  const { encoding: name } = document as { encoding?: string };
  const text = name ? undefined : await read(file);
  const mark = name ? name === 'utf8bom' : text?.startsWith(BOM) ?? false;
  const isThere = name !== undefined || await fs.stat(file).then(() => true, () => false);
  const refused = name && name !== 'utf8' && name !== 'utf8bom' ? `its encoding is ${name}`
    : isThere && !name && text === undefined ? 'its file is not UTF-8'
      : document.getText().isWellFormed() ? undefined : 'it holds half a surrogate pair';
  return { mark, refused };
}

/** Returns the overlays of those that are modified. */
export function overlays(held: Map<string, Held>): Overlay[] {
  return [...held.values()].filter(({ dirty, refused }) => dirty && !refused).map((each) => ({
    uri: vscode.Uri.file(each.path).toString(),
    text: (each.mark ? BOM : '') + each.document.getText(),
    version: each.version,
  }));
}

/** True if edits of the file can be applied to its document: then it stands for the file. */
export async function standsForFile(each: Held): Promise<boolean> {
  if (each.dirty) {
    return !each.refused;
  }
  const text = await read(each.path);
  return text !== undefined && text.replace(BOM, '') === each.document.getText();
}

/** The line end of a document. */
export function lineEnd(document: vscode.TextDocument): string {
  return document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
}

/** True if the document can hold these lines: it has one line end, which it gives every line. */
export function canHold(document: vscode.TextDocument, added: string[]): boolean {
  return added.every((line) => !/[\r\n]$/.test(line) || line.replace(/[^\r\n]/g, '') === lineEnd(document));
}

/** Returns a text with edits of whole lines in it. */
export function edited(text: string, edits: TextEdit[]): string {
  if (edits.some(({ range: { start, end } }) => start.character !== 0 || end.character !== 0)) {
    throw new Error('clada: an edit of a part of a line');
  }
  return spliced(text, edits.map(({ range: { start, end }, newText }) => [start.line, end.line, newText]));
}

/**
 * Gives a document another text as one step of undo: only the lines between those at both ends that stay are
 * replaced. Returns false if the document was changed meanwhile; then nothing is done.
 */
export async function replace(document: vscode.TextDocument, before: string, after: string): Promise<boolean> {
  const text = document.getText();
  if (text !== before || text === after) {
    return text === after;
  }
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) {
    head += 1;
  }
  head = head && before.lastIndexOf('\n', head - 1) + 1;
  let tail = 0;
  while (tail < most - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) {
    tail += 1;
  }
  // Where a line begins: what ends there is no half of a character.
  const next = before.indexOf('\n', Math.max(head, before.length - tail - 1)) + 1;
  tail = next > 0 ? Math.min(tail, before.length - next) : 0;
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(document.positionAt(head), document.positionAt(before.length - tail));
  const part = vscode.TextEdit.replace(range, after.slice(head, after.length - tail));
  // A text alone would get the line end that the document has now.
  const { CRLF, LF } = vscode.EndOfLine;
  const eol = after.includes('\r\n') ? CRLF : after.includes('\n') ? LF : document.eol;
  edit.set(document.uri, eol === document.eol ? [part] : [part, vscode.TextEdit.setEndOfLine(eol)]);
  return vscode.workspace.applyEdit(edit);
}

/** Applies edits of whole lines, as one step of undo each document. Returns false as `replace` does. */
export async function apply(each: Held, edits: TextEdit[]): Promise<{ before: string; after: string } | undefined> {
  const { document } = each;
  if (document.isClosed || document.version !== each.version) {
    return undefined;
  }
  const before = document.getText();
  const after = edited(before, edits);
  const edit = new vscode.WorkspaceEdit();
  for (const { range: { start, end }, newText } of edits) {
    edit.replace(document.uri, document.validateRange(new vscode.Range(start.line, 0, end.line, 0)), newText);
  }
  return await vscode.workspace.applyEdit(edit) ? { before, after } : undefined;
}

/** Saves a document, if it holds what it was given. Returns a reason if it could not be saved. */
export async function save(document: vscode.TextDocument, expected: string): Promise<string | undefined> {
  const name = path.basename(document.uri.fsPath);
  if (document.getText() !== expected) {
    return `${name} was typed into meanwhile, and not saved`;
  }
  return await document.save() ? undefined : `${name} could not be saved`;
}

/** Returns the document of a file, which is opened, without a tab, if it is not open. */
export async function open(file: string): Promise<vscode.TextDocument> {
  return vscode.workspace.openTextDocument(vscode.Uri.file(file));
}

/** Lets the tabs of a file that was moved follow it, unless they were modified. */
export async function follow(from: string, to: string): Promise<void> {
  for (const group of vscode.window.tabGroups.all) {
    const active = group.activeTab?.input;
    for (const tab of group.tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.fsPath === from)) {
      if (!tab.isDirty) {
        const where = { viewColumn: group.viewColumn, preserveFocus: true, preview: false };
        await vscode.window.showTextDocument(vscode.Uri.file(to), where);
        if (!tab.isActive && active instanceof vscode.TabInputText) {
          await vscode.window.showTextDocument(active.uri, where);
        }
        await vscode.window.tabGroups.close(tab, true);
      }
    }
  }
}
