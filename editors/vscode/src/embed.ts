/** Files or a selection as one document for a prompt, the session's context, and staging. */

import * as vscode from 'vscode';
import type { Daemon } from './connection';
import { documents, overlays } from './documents';
import { rootOf } from './root';
import { isTrusted, patient, tell, warn } from './status';
import { plural } from './text';

/** Returns the files that a command of the explorer's menu is about, else none. Arguments of others count for nothing. */
function chosen(uri: unknown, uris: unknown): vscode.Uri[] {
  const list: unknown[] = Array.isArray(uris) && uris.length > 0 ? uris : [uri];
  return list.filter((each): each is vscode.Uri => each instanceof vscode.Uri && each.scheme === 'file');
}

/** Returns the root and paths that a command is about: what was chosen, else the active document or its selection. */
async function target(daemon: Daemon, uri: unknown, uris: unknown): Promise<{ root: string; paths: string[] } | undefined> {
  const editor = vscode.window.activeTextEditor;
  const files = chosen(uri, uris);
  const isActive = files.length === 0 || (files.length === 1 && !Array.isArray(uris) && files[0]?.fsPath === editor?.document.uri.fsPath);
  const root = await rootOf(daemon, files[0]);
  if (root === undefined) {
    return undefined;
  }
  if (!isActive) {
    return { root, paths: files.map(({ fsPath }) => fsPath) };
  }
  if (editor?.document.uri.scheme !== 'file') {
    void warn('there is no file here: choose files in the explorer, or open one');
    return undefined;
  }
  const { start, end, isEmpty } = editor.selection;
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { root, paths: [editor.document.uri.fsPath + (isEmpty ? '' : `:${start.line + 1}-${last}`)] };
}

/** Makes one document of files, folders or a selection, as the editor holds them, in the clipboard. */
export async function embed(daemon: Daemon, uri: unknown, uris: unknown): Promise<void> {
  const about = await target(daemon, uri, uris);
  await (about && copied(daemon, about));
}

/** The same of the context of the project's session. */
export async function embedContext(daemon: Daemon): Promise<void> {
  const root = await rootOf(daemon);
  await (root !== undefined && copied(daemon, { root, sessionContext: true }));
}

async function copied(daemon: Daemon, about: { root: string; paths?: string[]; sessionContext?: boolean }): Promise<void> {
  const held = overlays(await documents(about.root));
  const result = await patient('embedding', (token) =>
    daemon.call('embed', { ...about, tokens: true, ...(held.length > 0 ? { overlays: held } : {}) }, token));
  if (result.document === undefined) {
    void warn(result.errors[0]?.message ?? 'nothing could be embedded');
    return;
  }
  await vscode.env.clipboard.writeText(result.document);
  const tokens = result.tokens === undefined ? '' : `, ${plural(result.tokens, 'token')}`;
  const left = result.errors.length > 0 ? `; ${plural(result.errors.length, 'path')} could not be embedded` : '';
  void tell(`${plural(result.files.length, 'file')}${tokens} in the clipboard${left}`);
}

/** Adds files to the context of the project's session. */
export async function addContext(daemon: Daemon, uri: unknown, uris: unknown): Promise<void> {
  const about = isTrusted('the context') ? await target(daemon, uri, uris) : undefined;
  if (about) {
    const paths = about.paths.map((each) => each.replace(/:\d+-\d+$/, ''));
    const result = await daemon.call('context.add', { root: about.root, paths });
    void tell(`${plural(result.context.length, 'path')} in the context`);
  }
}

/** Stages what changed, and puts the path of the folder into the clipboard. */
export async function stage(daemon: Daemon): Promise<void> {
  const root = isTrusted('staging') ? await rootOf(daemon) : undefined;
  if (root !== undefined) {
    const result = await patient('staging', (token) => daemon.call('stage', { root }, token));
    if (result.stagingDir) {
      await vscode.env.clipboard.writeText(result.stagingDir);
    }
    const open = [...(await documents(root)).values()].filter(({ dirty }) => dirty).length;
    const without = open > 0 ? `; what is not saved is not in it (${plural(open, 'document')})` : '';
    void tell(`${plural(result.copied.length, 'file')} in ${result.stagingDir ?? 'no folder'}${result.stagingDir ? ', which is in the clipboard' : ''}${without}`);
  }
}
