/** The answer: the selection, else the clipboard if it shows changes, else the document. Never two of them. */

import * as vscode from 'vscode';
import type { Daemon } from './connection';
import { advice } from './plan';

export interface Answer {
  readonly text: string;
  /** Where it was taken from, in words. */
  readonly source: string;
  /** The document that it was taken from, and the line of it at which it begins, for the places of its faults. */
  readonly document?: vscode.TextDocument;
  readonly line?: number;
  /** What it is read as; if nothing is said, in all dialects that are enabled. */
  readonly dialect?: string;
  /** The file that code without a name is for. */
  readonly to?: string;
  /** What is to be said of the clipboard if there is nothing to do. */
  readonly notes?: string[] | undefined;
}

/** Dialects that an answer may be written in. */
export const DIALECTS = ['sham', 'csl', 'cml', 'replacer', 'apply_patch', 'aider', 'unified_diff', 'tool_call', 'whole_file'];

/** Takes the answer; nothing if there is none. */
export async function answerOf(daemon: Daemon, root: string, from: 'anywhere' | 'clipboard'): Promise<Answer | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (from === 'anywhere' && editor && !editor.selection.isEmpty) {
    const { selection: { start, end }, document } = editor;
    const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
    const source = `lines ${start.line + 1}-${last} of ${vscode.workspace.asRelativePath(document.uri)}`;
    return { text: document.getText(editor.selection).toWellFormed(), source, document, line: start.line };
  }
  const text = (await vscode.env.clipboard.readText()).toWellFormed();
  const clipboard = text.trim() === '' ? undefined : { text, source: 'the clipboard' };
  if (from === 'clipboard') {
    return clipboard;
  }
  if (clipboard && !editor) {
    return clipboard;
  }
  const parsed = clipboard && await daemon.call('parse', { text, root });
  if (parsed && parsed.summary.totalBlocks + (parsed.proposals?.length ?? 0) + (parsed.notRead?.length ?? 0) > 0) {
    return clipboard;
  }
  return editor && {
    text: editor.document.getText().toWellFormed(),
    source: `${vscode.workspace.asRelativePath(editor.document.uri)}${clipboard ? ' (the clipboard holds no change)' : ''}`,
    document: editor.document,
    line: 0,
    notes: parsed?.warnings?.map(({ message }) => `the clipboard: ${advice(message)}`),
  };
}
