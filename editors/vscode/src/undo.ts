/** The way back: the daemon undoes what was written, and documents get their text of before. All of it or nothing. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { type Daemon, Failure } from './connection';
import { documents, follow, open, replace, save } from './documents';
import type { UndoResult } from './protocol';
import { isTrusted, patient, tell, tellError, warn } from './status';
import { harmless, plural, short } from './text';

const KEPT = 20;

/** A document that got edits. */
export interface Applied {
  readonly path: string;
  readonly uri: string;
  readonly before: string;
  readonly after: string;
  /** True if it was saved with them. */
  readonly saved: boolean;
}

interface Entry {
  operation: string | undefined;
  /** Those that are not saved: this editor undoes them. */
  documents: Applied[];
  /** Those that were saved: the daemon undoes them with the operation. */
  saved: Applied[];
}

type Method = 'undo' | 'redo';

export class Undo {
  /** What this editor applied and can undo, and what it undid, by root; the last one at the end. */
  private readonly stacks: Record<Method, Map<string, Entry[]>> = { undo: new Map(), redo: new Map() };

  constructor(
    private readonly daemon: Daemon,
    private readonly done: (method: Method) => void,
  ) {}

  /** Remembers what was applied, if anything was, and returns what takes back just that. */
  add(root: string, operation: string | undefined, documents: Applied[]): (() => Promise<void>) | undefined {
    if (!operation && documents.length === 0) {
      return undefined;
    }
    const isDaemons = ({ saved }: Applied) => Boolean(operation) && saved;
    const entry = {
      operation, documents: documents.filter((each) => !isDaemons(each)), saved: documents.filter(isDaemons),
    };
    this.push('undo', root, entry);
    this.stacks.redo.delete(root);
    return async () => {
      if (this.stacks.undo.get(root)?.includes(entry)) {
        await this.run('undo', root, undefined, false, entry);
      } else {
        void warn('that answer was undone before');
      }
    };
  }

  private push(method: Method, root: string, entry: Entry): void {
    this.stacks[method].set(root, [...(this.stacks[method].get(root) ?? []), entry].slice(-KEPT));
  }

  /** Undoes the last answer of this editor, or an operation that is named; or does it again. */
  async run(method: Method, root: string, operation?: string, merge = false, wanted?: Entry): Promise<void> {
    if (!isTrusted(method)) {
      return;
    }
    const stack = this.stacks[method].get(root) ?? [];
    const entry = wanted ?? (operation ? stack.find((each) => each.operation === operation) : stack.at(-1));
    if (method === 'undo' && !entry && !operation) {
      return this.offerLast(root);
    }
    const changed = await this.changed(entry);
    const offer = async (why: string) => {
      const button = method === 'undo' ? await warn(`${why}; nothing was undone`, 'Undo the rest, keep what was changed') : void await warn(why);
      return button ? this.run(method, root, operation, true, entry) : undefined;
    };
    if (changed.length > 0 && !merge) {
      return void offer(`${changed.map((each) => path.basename(each.path)).join(', ')} has changed since`);
    }
    const merged = changed.length > 0 ? await this.merged(changed) : [];
    if (!merged) {
      const names = changed.map((each) => path.basename(each.path)).join(', ');
      return void warn(`${names} was changed in the same place; nothing was undone: only you can do it there`);
    }
    const named = entry?.operation ?? operation;
    let result: UndoResult | undefined;
    if (!entry || entry.operation) {
      try {
        await restore(entry?.saved ?? []);
        const unsaved = [...(await documents(root)).values()].filter(({ dirty }) => dirty).map((each) => vscode.Uri.file(each.path).toString());
        const params = { root, ...(named ? { operation: named } : {}), ...(merge ? { merge } : {}), unsaved };
        result = await patient(method, (token) => this.daemon.call(method, params, token));
      } catch (error) {
        const isConflict = error instanceof Failure && error.kind === 'conflict' && method === 'undo' && !merge;
        return isConflict ? void offer(error.message) : tellError(error);
      }
    }
    const kept = (entry?.documents ?? []).filter((each) => !changed.includes(each));
    const failed = await this.turn(method, kept);
    if (failed) {
      if (result) {
        await this.daemon.call(method === 'undo' ? 'redo' : 'undo', { root, operation: result.operationId });
      }
      return void warn(`${path.basename(failed.path)} was changed meanwhile; nothing was done`);
    }
    for (const { document, now, text } of merged) {
      if (!await replace(document, now, text)) {
        void warn(`${path.basename(document.uri.fsPath)} was changed meanwhile, and keeps the answer`);
      }
    }
    if (entry) {
      this.stacks[method].set(root, stack.filter((each) => each !== entry));
      this.push(method === 'undo' ? 'redo' : 'undo', root, { operation: result?.operationId, documents: kept, saved: [] });
    }
    for (const { change, from, path: to, error } of result?.changes ?? []) {
      if (change === 'moved' && from && !error) {
        await follow(from, to);
      }
    }
    const number = plural((result?.changes.length ?? 0) + kept.length + merged.length, 'change');
    this.done(method);
    void vscode.window.setStatusBarMessage(method === 'undo' ? `clada: undid ${number}` : `clada: did ${number} again`, 10_000);
    for (const warning of result?.warnings ?? []) {
      void warn(warning);
    }
  }

  /** Returns the texts of documents that were changed since, without the answer; nothing if one was changed in the same place. */
  private async merged(changed: Applied[]): Promise<{ document: vscode.TextDocument; now: string; text: string }[] | undefined> {
    const held = await Promise.all(changed.map(async ({ path: file, before, after }) => {
      const document = await open(file);
      return { document, before, after, now: document.getText() };
    }));
    const { texts } = await this.daemon.call('text.merge', { texts: held.map(({ before, after, now }) => ({ before, after, now })) });
    const found = held.map(({ document, now }, index) => ({ document, now, text: texts[index] ?? null }));
    return found.every((each): each is typeof each & { text: string } => each.text !== null) ? found : undefined;
  }

  /**
   * Says that this editor has nothing to undo, and offers the last operation of the project: it may be half of an answer
   * whose other half was in documents, or another program's.
   */
  private async offerLast(root: string): Promise<void> {
    const { operations } = await this.daemon.call('history.list', { root, limit: 20 });
    const last = operations.find(({ undoneBy, undoes }) => !undoneBy && !undoes);
    if (!last) {
      return void tell('there is nothing to undo');
    }
    const why = `this window has nothing to undo here. The last operation of the project: ${last.summary}`;
    void warn(why, 'Undo it').then((button) => button && this.run('undo', root, last.operationId).catch(tellError));
  }

  /** Returns the documents that are not as the entry left them. */
  private async changed(entry: Entry | undefined): Promise<Applied[]> {
    const pairs = await Promise.all((entry?.documents ?? []).map(async (each): Promise<[Applied, boolean]> => {
      const document = await open(each.path).then((found) => found, () => undefined);
      // The editor's own undo may have been first.
      return [each, document !== undefined && [each.before, each.after].includes(document.getText())];
    }));
    return pairs.filter(([, isSame]) => !isSame).map(([each]) => each);
  }

  /** Gives documents their other text. If one cannot be, none is, and it is returned. */
  private async turn(method: Method, documents: Applied[]): Promise<Applied | undefined> {
    const sides = (each: Applied): [string, string] => method === 'undo' ? [each.after, each.before] : [each.before, each.after];
    const turned: Applied[] = [];
    for (const each of documents) {
      const document = await open(each.path).then((found) => found, () => undefined);
      const [from, to] = sides(each);
      const isThere = document?.getText() === to;
      if (!document || !await replace(document, from, to)) {
        for (const done of turned) {
          const [before, now] = sides(done);
          await replace(await open(done.path), now, before);
        }
        return each;
      }
      turned.push(...(isThere ? [] : [each]));
    }
    return undefined;
  }

  /** Forgets an operation of this editor that was undone elsewhere. What is not saved of it is still this editor's. */
  forget(root: string, operation: string | undefined): void {
    const stack = this.stacks.undo.get(root) ?? [];
    stack.filter((each) => operation && each.operation === operation).forEach((each) => {
      each.operation = undefined;
    });
    this.stacks.undo.set(root, stack.filter((each) => each.operation || each.documents.length > 0));
  }

  /** Lists what was done in the project; shows or undoes what is chosen. */
  async history(root: string, show: (name: string, diff: string) => Promise<void>): Promise<void> {
    const { operations } = await this.daemon.call('history.list', { root, limit: 100 });
    const items = operations.map((operation) => ({
      label: `${operation.kind === 'execute' ? '' : `${operation.kind}: `}${short(operation.title ?? operation.summary, 50)}`,
      description: `${new Date(operation.beganMs).toLocaleString()}${operation.undoneBy ? ' · undone' : ''}`,
      ...(operation.title ? { detail: harmless(operation.summary) } : {}),
      operation,
    }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: 'What was done here, the latest first', matchOnDescription: true, matchOnDetail: true });
    if (!picked) {
      return void (items.length === 0 && tell('nothing was done here yet'));
    }
    const { operationId, undoneBy } = picked.operation;
    const what = await vscode.window.showQuickPick(['Show what it changed', ...(undoneBy ? [] : ['Undo it'])], { placeHolder: picked.label });
    if (what === 'Undo it') {
      await this.run('undo', root, operationId);
    } else if (what) {
      const shown = await this.daemon.call('history.show', { root, operation: operationId, diff: true });
      await show(operationId, shown.diff || 'It changed no text.');
    }
  }
}

/** Takes the editor's own undo of saved documents back, so that they are what was saved. */
async function restore(saved: Applied[]): Promise<void> {
  for (const each of saved) {
    const document = vscode.workspace.textDocuments.find(({ uri, isClosed }) => uri.fsPath === each.path && !isClosed);
    if (document?.isDirty && document.getText() === each.before && await replace(document, each.before, each.after)) {
      await save(document, each.after);
    }
  }
}
