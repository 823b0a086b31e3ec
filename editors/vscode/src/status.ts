/**
 * What the person is told outside of the review: notices, progress, the item in the status bar; and the settings.
 *
 * A notice or an item holds no text of others but by `harmless`: the editor makes links of what looks like one.
 */

import * as vscode from 'vscode';
import { Failure } from './connection';
import { harmless, visible } from './text';

const UNDO_OFFERED_MS = 10_000;
const PATIENCE_MS = 1_000;

/** Returns a setting of the user. Those of a workspace count for nothing. */
export function setting<T>(name: string): T {
  const found = vscode.workspace.getConfiguration('clada').inspect<T>(name);
  return (found?.globalValue ?? found?.defaultValue) as T;
}

/** Shows a notice; returns the button that was pressed. It takes no key. */
export function tell<B extends string>(message: string, ...buttons: B[]): Thenable<B | undefined> {
  return vscode.window.showInformationMessage(`clada: ${harmless(message)}`, ...buttons);
}

export function warn<B extends string>(message: string, ...buttons: B[]): Thenable<B | undefined> {
  return vscode.window.showWarningMessage(`clada: ${harmless(message)}`, ...buttons);
}

/** Asks in a dialog what somebody has to decide who waits for it. */
export function ask<B extends string>(message: string, detail: string, ...buttons: B[]): Thenable<B | undefined> {
  return vscode.window.showWarningMessage(`clada: ${harmless(message)}`, { modal: true, detail: visible(detail) }, ...buttons);
}

/** Shows an error with what to do about it. */
export function tellError(error: unknown): void {
  if (error instanceof Failure && error.kind === 'cancelled') {
    void tell('it was cancelled');
    return;
  }
  const hint = error instanceof Failure && error.hint ? ` ${error.hint}` : '';
  void vscode.window.showErrorMessage(`clada: ${harmless((error instanceof Error ? error.message : String(error)) + hint)}`);
}

/** True in a trusted workspace; else says that only preview is possible. */
export function isTrusted(what: string): boolean {
  if (!vscode.workspace.isTrusted) {
    void warn(`${what} needs a trusted workspace; until then answers are only reviewed`);
  }
  return vscode.workspace.isTrusted;
}

/** Runs a request. One that takes its time is shown, and can be cancelled. */
export async function patient<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const running = work(source.token);
  const timer = setTimeout(() => {
    const options = { location: vscode.ProgressLocation.Notification, title: `clada: ${title}`, cancellable: true };
    void vscode.window.withProgress(options, async (_, token) => {
      token.onCancellationRequested(() => source.cancel());
      await running.catch(() => undefined);
    });
  }, PATIENCE_MS);
  try {
    return await running;
  } finally {
    clearTimeout(timer);
    source.dispose();
  }
}

/** The item in the status bar. */
export class Status {
  private readonly item = vscode.window.createStatusBarItem('clada', vscode.StatusBarAlignment.Left, 0);
  private done: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** `state` says what waits for approval, what a review has accepted, and whether the daemon is there. */
  constructor(private readonly state: () => { waiting: number; review?: [number, number]; up: boolean | undefined }) {
    this.item.name = 'Clada';
  }

  /** Says for a while what was done, and offers to undo it. */
  offerUndo(line: string): void {
    clearTimeout(this.timer);
    this.done = line;
    this.timer = setTimeout(() => {
      this.done = undefined;
      this.refresh();
    }, UNDO_OFFERED_MS);
    this.refresh();
  }

  forgetUndo(): void {
    this.done = undefined;
    this.refresh();
  }

  refresh(): void {
    const { waiting, review, up } = this.state();
    const [text, command, tooltip] = waiting > 0
      ? [`$(bell-dot) clada: ${waiting} for approval`, 'clada.approve', 'An agent waits for your approval']
      : this.done ? [`$(discard) clada: undo · ${this.done}`, 'clada.undo', 'Undo the last answer']
        : review ? [`clada ${review[0]}/${review[1]}`, 'clada.review.focus', 'Changes that are accepted']
          : up === false ? ['$(debug-disconnect) clada', 'clada.restart', 'The daemon does not answer'] : ['', '', ''];
    Object.assign(this.item, { text, command, tooltip });
    if (text) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
  }
}

/** Closes the tabs of documents of the scheme `clada`, and of differences to them. */
export function closeTabs(isMeant: (uri: vscode.Uri) => boolean): void {
  const shown = ({ input }: vscode.Tab) => input instanceof vscode.TabInputTextDiff ? input.modified
    : input instanceof vscode.TabInputText ? input.uri : undefined;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => {
    const uri = shown(tab);
    return uri?.scheme === 'clada' && isMeant(uri);
  });
  void vscode.window.tabGroups.close(tabs, true);
}

/** Read-only documents of the scheme `clada`: sides of differences, texts of the daemon. */
export class Texts implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? 'This text is no longer kept.';
  }

  /** Keeps a text under a path, until its document is closed; the last answer for good. */
  set(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: 'clada', path });
    this.texts.set(uri.path, text);
    this.changes.fire(uri);
    return uri;
  }

  async show(path: string, text: string, language: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.set(path, text));
    await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  forget(uri: vscode.Uri): void {
    if (uri.scheme === 'clada' && !uri.path.startsWith('/answer/')) {
      this.texts.delete(uri.path);
    }
  }
}
