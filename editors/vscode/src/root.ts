/**
 * The root of a project: the daemon's rules say it. What lies in another place than the daemon's files has none.
 */

import * as vscode from 'vscode';
import { type Daemon, Failure } from './connection';

/** Refuses what is on another machine, or in no file at all. */
function refuse(uri: vscode.Uri): never {
  throw new Failure(`${uri.scheme}: is not a place of files here.`, 'not_available',
    'Open the folder in an editor that runs where the files are (Remote, WSL, a container).');
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.replace(/\/?$/, '/'));
}

/** Returns the root for a document, by default the active one; nothing if the person was asked and did not say. */
export async function rootOf(daemon: Daemon, uri = vscode.window.activeTextEditor?.document.uri): Promise<string | undefined> {
  if (uri && uri.scheme !== 'file' && uri.scheme !== 'vscode-userdata'
    && vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== undefined) {
    refuse(uri);
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  const holding = uri?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  const folder = holding ?? (folders.length > 1
    ? await vscode.window.showWorkspaceFolderPick({ placeHolder: 'The project that the answer is for' }) : folders[0]);
  if (!folder) {
    if (folders.length > 1) {
      return undefined;
    }
    if (uri?.scheme !== 'file') {
      throw new Failure('There is no project here.', 'not_available', 'Open a folder, or a file of the project.');
    }
    return (await daemon.call('project.root', { path: uri.fsPath })).root;
  }
  if (folder.uri.scheme !== 'file') {
    refuse(folder.uri);
  }
  const top = folder.uri.fsPath;
  const { root, marked } = await daemon.call('project.root', { path: holding && uri ? uri.fsPath : top });
  // Without a mark above, the rules know no more than the file's folder: then the workspace's folder is it.
  return marked || !isBelow(root, top) ? root : top;
}
