/** The way back: the daemon undoes what was written, and documents get their text of before. All of it or nothing. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { type Daemon, Failure } from './connection';
import { documents, edited, follow, open, overlays, replace, save } from './documents';
import type { TextEdit, UndoResult } from './protocol';
import { isTrusted, patient, tell, tellError, warn } from './status';
import { harmless, lines, plural, short } from './text';

const KEPT = 20;

/** A document that got edits. */
export interface Applied {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly edits: TextEdit[];
  /** True if it was saved with them. */
  readonly saved: boolean;
}

interface Entry {
  operation: string | undefined;
  documents: Applied[];
}

type Method = 'undo' | 'redo';

export class Undo {
  /** What this editor carried out and can undo, and what it undid, by root; the last one at the end. */
  private readonly stacks: Record<Method, Map<string, Entry[]>> = { undo: new Map(), redo: new Map() };
  private readonly ids = new Set<string>();
  private under: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly daemon: Daemon,
    private readonly done: (method: Method) => void,
    private readonly review: (root: string, text: string) => Promise<void>,
  ) {}

  /** Remembers what was carried out, if anything was, and returns what takes back just that. */
  add(root: string, operation: string | undefined, documents: Applied[]): (() => Promise<void>) | undefined {
    if (!operation && documents.length === 0) {
      return undefined;
    }
    const entry = { operation, documents };
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

  /** Waits for what makes an operation of this editor, of which an event may come before the answer. */
  own<T extends { operationId?: string }>(answer: Promise<T>): Promise<T> {
    const known = answer.then(({ operationId }) => operationId && this.ids.add(operationId), () => undefined);
    this.under = Promise.all([this.under, known]);
    return answer;
  }

  /** True if an operation was done by this editor. */
  async isOwn(operation: string): Promise<boolean> {
    await this.under;
    return this.ids.has(operation);
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
      return void offer(`${changed.map((each) => path.basename(each.path)).join(', ')} was changed since`);
    }
    if (changed.length > 0 && !await this.canMerge(root, changed)) {
      const names = changed.map((each) => path.basename(each.path)).join(', ');
      return void warn(`${names} was changed in the same place; nothing was undone: only you can do it there`);
    }
    const named = entry?.operation ?? operation;
    let result: UndoResult | undefined;
    if (!entry || entry.operation) {
      try {
        result = await this.own(patient(method, (token) => this.daemon.call(method, {
          root, ...(named ? { operation: named } : {}), ...(merge ? { merge } : {}),
        }, token)));
      } catch (error) {
        const isConflict = error instanceof Failure && error.kind === 'conflict' && method === 'undo' && !merge;
        return isConflict ? void offer(error.message) : tellError(error);
      }
    }
    const kept = (entry?.documents ?? []).filter((each) => !changed.includes(each));
    const failed = await this.turn(method, kept);
    if (failed) {
      if (result) {
        await this.own(this.daemon.call(method === 'undo' ? 'redo' : 'undo', { root, operation: result.operationId }));
      }
      return void warn(`${path.basename(failed.path)} was changed meanwhile; nothing was done`);
    }
    if (entry) {
      this.stacks[method].set(root, stack.filter((each) => each !== entry));
      this.push(method === 'undo' ? 'redo' : 'undo', root, { operation: result?.operationId, documents: kept });
    }
    for (const { change, from, path: to, error } of result?.changes ?? []) {
      if (change === 'moved' && from && !error) {
        await follow(from, to);
      }
    }
    const number = plural((result?.changes.length ?? 0) + kept.length, 'change');
    this.done(method);
    void vscode.window.setStatusBarMessage(method === 'undo' ? `clada: undid ${number}` : `clada: did ${number} again`, 10_000);
    for (const warning of result?.warnings ?? []) {
      void warn(warning);
    }
    if (changed.length > 0) {
      await this.review(root, patch(root, changed));
    }
  }

  /** True if what was changed since lets the answer be taken back around it. */
  private async canMerge(root: string, changed: Applied[]): Promise<boolean> {
    const { actions } = await this.daemon.call('plan', {
      root, text: patch(root, changed), overlays: overlays(await documents(root)), lines: 'lsp', omit: ['diff'],
    });
    return actions.every(({ unplannable }) => unplannable === undefined);
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
    const clean = new Set<vscode.TextDocument>();
    const turned: Applied[] = [];
    for (const each of documents) {
      const document = await open(each.path).then((found) => found, () => undefined);
      const [from, to] = sides(each);
      const isThere = document?.getText() === to;
      if (document && !document.isDirty && each.saved) {
        clean.add(document);
      }
      if (!document || !await replace(document, from, to)) {
        for (const done of turned) {
          const [before, now] = sides(done);
          await replace(await open(done.path), now, before);
        }
        return each;
      }
      turned.push(...(isThere ? [] : [each]));
    }
    for (const each of documents) {
      const document = await open(each.path);
      const problem = clean.has(document) ? await save(document, sides(each)[1]) : undefined;
      if (problem) {
        void warn(problem);
      }
    }
    return undefined;
  }

  /** Lists what was done in the project; shows or undoes what is chosen. */
  async history(root: string, show: (name: string, diff: string) => Promise<void>): Promise<void> {
    const { operations } = await this.daemon.call('history.list', { root, limit: 100 });
    const items = operations.map((operation) => ({
      label: `${operation.kind === 'execute' ? '' : `${operation.kind}: `}${short(operation.title ?? operation.summary, 50)}`,
      description: `${new Date(operation.beganMs).toLocaleString()}${operation.undoneBy ? ' · undone' : ''}`,
      detail: harmless(operation.summary),
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

/** Returns the way back of documents that were changed since, as a patch: the daemon finds its place. */
export function patch(root: string, changed: Applied[]): string {
  const files = changed.map((each) => {
    const now = lines(edited(each.before, each.edits));
    const before = lines(each.before);
    let shift = 0;
    let last = 0;
    const hunks = each.edits.map(({ range: { start, end }, newText }, index) => {
      const at = start.line + shift;
      const [mine, old] = [lines(newText), before.slice(start.line, end.line)];
      // Lines around it, as far as no other edit changes them.
      const next = (each.edits[index + 1]?.range.start.line ?? before.length) - end.line + at + mine.length;
      const above = now.slice(Math.max(last, at - 3), at);
      const below = now.slice(at + mine.length, Math.min(next, at + mine.length + 3));
      last = at + mine.length;
      shift += mine.length - old.length;
      const sign = (mark: string, list: string[]) => list.map((line) => `${mark}${line.replace(/[\r\n]+$/, '')}\n`
        + (/[\r\n]$/.test(line) ? '' : '\\ No newline at end of file\n'));
      const around = above.length + below.length;
      const [first, then] = [at - above.length + 1, start.line - above.length + 1];
      return [`@@ -${first},${around + mine.length} +${then},${around + old.length} @@\n`, ...sign(' ', above),
        ...sign('-', mine), ...sign('+', old), ...sign(' ', below)].join('');
    });
    const name = path.relative(root, each.path);
    return `--- a/${name}\n+++ b/${name}\n${hunks.join('')}`;
  });
  const fence = '`'.repeat(Math.max(3, ...(files.join('').match(/`+/g) ?? []).map((ticks) => ticks.length + 1)));
  return `${fence}diff\n${files.join('')}${fence}\n`;
}
