/**
 * The way of an answer: plan, review, apply, tell.
 *
 * The daemon decides what is shown and what is safe. Nothing is applied to a document that changed since the plan.
 */

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { After } from './after';
import type { Answer } from './answer';
import { type Daemon, environment, Failure } from './connection';
import { apply, canHold, canonical, documents, follow, type Held, overlays, save, standsForFile } from './documents';
import { advice, carry, choice, commands, count, type Model, modelOf, undecided } from './plan';
import type { EditedPlace, ExecutionResult, FileHunk, PlannedFile, PlanResult } from './protocol';
import type { Review, Reviews } from './review';
import { ask, isTrusted, patient, setting, tell, tellError, warn } from './status';
import { plural } from './text';
import type { Applied, Undo } from './undo';

export interface Flow {
  readonly root: string;
  readonly answer: Answer;
  readonly review: boolean;
  /** True if the daemon writes everything, since the documents were saved for it. */
  disk: boolean;
  /** The open documents when it was planned, by their paths, and by the plan's files. */
  held: Map<string, Held>;
  places: Map<PlannedFile, Held>;
  conflicts: number;
  /** Its plan, as long as the daemon has it. */
  plan?: string | undefined;
  /** The places of its plan that the user edited. */
  edits?: EditedPlace[];
}

export class Flows {
  constructor(
    private readonly daemon: Daemon,
    private readonly reviews: Reviews,
    private readonly undo: Undo,
    readonly after: After,
  ) {}

  /** Takes an answer to the review, or carries it out if that is wanted and nothing needs a decision. */
  async start(root: string, answer: Answer, review: boolean): Promise<void> {
    if (this.reviews.get(root)?.running) {
      void warn('an answer is being applied: cancel it, or wait');
      return;
    }
    const flow: Flow = { root, answer, review, disk: false, held: new Map(), places: new Map(), conflicts: 0 };
    const model = await this.plan(flow);
    this.daemon.subscribe(root);
    const reason = nothing(model);
    if (reason !== undefined) {
      // The model that wrote it can be asked for another form.
      const report = (model.plan.notRead?.length ?? 0) > 0 && setting<string>('copyReport') !== 'never' ? await this.report(flow) : undefined;
      const copied = report !== undefined && await this.after.copy(report) ? ' · the request for the model is in the clipboard' : '';
      void warn(`${answer.source}: ${reason}${copied}${(answer.notes ?? []).map((each) => ` · ${each}`).join('')}`);
      return;
    }
    const decides = model.units.some(({ approvals, blocked, proposal }) => !proposal && (approvals.length > 0 || blocked))
      // Nobody can apply what is only proposed.
      || (undecided(model) > 0 && count(model)[0] === 0);
    if (vscode.workspace.isTrusted && (model.units.length === 0 || (!review && !decides))) {
      await this.carryOut({ flow, model });
    } else {
      await this.reviews.open(flow, model);
    }
  }

  /** Plans over the documents as they are now: the answer, or what is left of its plan; `only` parts of that. */
  private async plan(flow: Flow, only?: string[], edits?: EditedPlace[]): Promise<Model> {
    const held = await documents(flow.root);
    const { dialect, text, to } = flow.answer;
    const what = flow.plan === undefined ? { text, ...(dialect ? { dialects: [dialect] } : {}) } : { planId: flow.plan, ...(only ? { only } : {}), ...(edits ? { edited: edits } : {}) };
    let result: PlanResult;
    try {
      result = await patient('planning', (token) => this.daemon.call('plan', {
        ...what, ...(to === undefined ? {} : { to }), root: flow.root, overlays: overlays(held), lines: 'lsp', omit: ['diff'], review: true, env: environment(),
      }, token));
    } catch (error) {
      if (flow.plan === undefined || !(error instanceof Failure) || error.kind !== 'plan_not_found') {
        throw error;
      }
      flow.plan = undefined;
      const model = await this.plan(flow);
      // What was edited is only in the plan that is gone.
      return flow.edits && flow.plan !== undefined ? this.plan(flow, only, flow.edits) : model;
    }
    flow.plan = result.planId;
    flow.held = held;
    flow.places = await this.places(flow.root, held, result.files ?? []);
    return modelOf(result, (file) => blocked(flow, file));
  }

  /** Finds the open documents of files; of one that moves the document of its old path. */
  private async places(root: string, held: Map<string, Held>, files: PlannedFile[]): Promise<Map<PlannedFile, Held>> {
    const found = await Promise.all(files.map(async (file): Promise<[PlannedFile, Held | undefined]> => {
      const names = [...(file.oldPath ? [file.oldPath] : []), file.path];
      const paths = await Promise.all(names.map((name) => canonical(path.join(root, name))));
      return [file, paths.map((name) => held.get(name)).find((each) => each)];
    }));
    return new Map(found.filter((pair): pair is [PlannedFile, Held] => pair[1] !== undefined));
  }

  /** Plans again, keeps the decisions about what is the same, and says if there is nothing else. */
  private async again(flow: Flow, before: Model, why?: string, only?: string[]): Promise<{ model: Model; same: boolean } | undefined> {
    const model = await this.plan(flow, only);
    const same = carry(model, before);
    const reason = nothing(model);
    if (reason !== undefined) {
      this.reviews.close(flow.root);
      void tell(`${why ? `${why}: ` : ''}${reason}`);
      return undefined;
    }
    if (why) {
      void warn(`${why}; it was planned again. Look at it, then carry it out`);
    }
    return { model, same };
  }

  /** Plans again with the new lines of a hunk as the user edited them, and shows that. */
  async edit({ flow, model }: Review, hunk: FileHunk, text: string): Promise<void> {
    const { parts: [part = ''], start, removed, added } = hunk;
    const place = { part, start, removed, added, text };
    const edited = await this.plan(flow, undefined, [place]);
    flow.edits = [...(flow.edits ?? []), place];
    carry(edited, model);
    await this.reviews.open(flow, edited);
  }

  private async showAgain(flow: Flow, before: Model, why: string, only?: string[]): Promise<void> {
    const again = await this.again(flow, before, why, only);
    if (again) {
      await this.reviews.open(flow, again.model);
    }
  }

  /** Applies what is accepted of a review. Shows it again if it is not what was shown any more. */
  async carryOut(review: Review): Promise<void> {
    if (review.running || !isTrusted('carrying out')) {
      return;
    }
    review.running = true;
    try {
      await this.execute(review);
    } finally {
      review.running = false;
    }
  }

  private async execute({ flow, model }: Review): Promise<void> {
    const { root } = flow;
    if (undecided(model) > 0 && !model.units.some(({ accepted, declined: left }) => accepted || left)) {
      return void warn('nothing is accepted: tick what is proposed, or close the review');
    }
    const held = await documents(root);
    const places = await this.places(root, held, model.plan.files ?? []);
    const changed = model.files.find(({ file }) => isChanged(flow.places.get(file), places.get(file)));
    if (changed) {
      return this.showAgain(flow, model, `${changed.file.path} was changed`);
    }
    const delivered = new Map<string, Held>();
    for (const { file } of model.files) {
      const each = places.get(file);
      if (each && !flow.disk && file.kind === 'change' && holds(each, file) && await standsForFile(each)) {
        delivered.set(each.path, each);
      }
    }
    if (commands(model).length > 0) {
      const unsaved = [...held.values()].filter(({ dirty }) => dirty);
      if (unsaved.length > 0) {
        return this.askToSave({ flow, model }, unsaved);
      }
      // The command is to see the changes, so the daemon writes them, and the editor reads them again.
      delivered.clear();
    }
    // What was planned over has to be named, also if nothing of it is accepted.
    const named = [...held.values()].filter((each) => delivered.has(each.path) || (each.dirty && !each.refused));
    let result: ExecutionResult;
    try {
      result = await patient('carrying out', (token) => this.daemon.call('execute', {
        root, planId: model.plan.planId, ...choice(model), deliver: 'mixed', lines: 'lsp', units: 'line',
        edits: named.map(uriOf), saves: [...delivered.values()].filter(({ dirty }) => !dirty).map(uriOf), owner: process.pid,
        reports: ['text', 'llm'], review: true, env: environment(), stream: true,
      }, token));
    } catch (error) {
      const kind = error instanceof Failure ? error.kind : undefined;
      if (error instanceof Failure) {
        // What was stopped may have done something.
        this.undo.add(root, error.operation, []);
      }
      if ((kind !== 'plan_not_found' && kind !== 'conflict') || flow.conflicts > 0) {
        throw error;
      }
      flow.conflicts += 1;
      const again = await this.again(flow, model, kind === 'conflict' ? 'a file was changed' : undefined);
      if (again) {
        return again.same && kind === 'plan_not_found' ? this.execute({ flow, model: again.model })
          : this.reviews.open(flow, again.model);
      }
      return;
    }
    await this.take(flow, model, result, delivered);
  }

  /** Applies what came back, tells how it went, and begins again with what could not be done. */
  private async take(flow: Flow, model: Model, result: ExecutionResult, delivered: Map<string, Held>): Promise<void> {
    const { root } = flow;
    const applied: Applied[] = [];
    const missed = new Set<string>();
    for (const change of result.edits?.documentChanges ?? []) {
      if (!('textDocument' in change)) {
        tellError(new Error(`${change.kind} was asked of the editor, which leaves it to you`));
        continue;
      }
      const file = await canonical(vscode.Uri.parse(change.textDocument.uri).fsPath);
      const each = delivered.get(file);
      const texts = each && await apply(each, change.edits);
      if (!each || !texts) {
        missed.add(file);
        continue;
      }
      const problem = each.dirty ? undefined : await save(each.document, texts.after);
      if (problem) {
        void warn(problem);
      }
      const saved = !each.dirty && !problem;
      const after = saved ? each.document.getText() : texts.after;
      applied.push({ path: file, uri: change.textDocument.uri, before: texts.before, after, saved });
    }
    if (result.open) {
      await this.finish(root, result, applied);
    }
    // Where a formatter turns back all that was saved, no operation is left, and nothing to undo.
    const changed = result.open && !result.operationId ? applied.filter(({ saved }) => !saved) : applied;
    const undo = this.undo.add(root, result.operationId || undefined, changed);
    for (const { oldPath, path: to } of result.changed ?? []) {
      if (oldPath !== undefined) {
        await follow(path.resolve(root, oldPath), path.resolve(root, to));
      }
    }
    // As a rule nothing was done at all then, and all of it is planned anew.
    const isConflict = flow.conflicts === 0 && result.results.some(({ kind }) => kind === 'conflict');
    this.reviews.close(root);
    if (!isConflict || undo) {
      await this.after.show(flow, result, applied, undo);
    }
    if (isConflict) {
      flow.conflicts += 1;
      await this.showAgain(flow, model, 'a file was changed meanwhile');
    } else if (missed.size > 0) {
      const left = model.files.filter(({ file }) => missed.has(flow.places.get(file)?.path ?? ''));
      // What failed in them may fit by now.
      const failed = model.review.notes.filter(({ place }) => left.some(({ file }) => file.uri === place?.uri));
      const only = [...left.flatMap(({ units }) => units).filter(({ accepted }) => accepted).map(({ id }) => id), ...failed.flatMap(({ action }) => action ?? [])];
      await this.showAgain(flow, model, `typed into meanwhile: ${left.map(({ file }) => path.basename(file.path)).join(', ')}`, only);
    }
  }

  /** Ends an operation that waits for what was saved of it: one operation, one commit. Says in `result` what became of it. */
  private async finish(root: string, result: ExecutionResult, applied: Applied[]): Promise<void> {
    const uris = (saved: boolean) => applied.filter((each) => each.saved === saved).map(({ uri }) => uri);
    try {
      const ended = await this.daemon.call('execute.saved', {
        root, operation: result.operationId ?? '', saved: uris(true), unsaved: uris(false),
      });
      const fatalError = result.fatalError ?? ended.fatalError;
      Object.assign(result, { operationId: ended.operationId, git: ended.git, ...(fatalError ? { fatalError } : {}) });
    } catch (error) {
      tellError(error);
    }
  }

  private async askToSave({ flow, model }: Review, unsaved: Held[]): Promise<void> {
    const saves = `Save ${plural(unsaved.length, 'document')} and apply`;
    const button = await ask('a command needs the files as they will be, and some are not saved',
      unsaved.map((each) => path.relative(flow.root, each.path)).join('\n'), saves, 'Leave the command out');
    if (button === saves) {
      await this.saveAndCarryOut(flow, model, unsaved);
    } else if (button) {
      commands(model).forEach((unit) => {
        unit.accepted = false;
      });
      this.reviews.refresh();
      await this.execute({ flow, model });
    }
  }

  /** Returns the report for the model on what is reviewed, of which nothing was done. */
  async report({ root, plan }: Flow): Promise<string | undefined> {
    const result = plan === undefined ? undefined : await this.daemon.call('plan', {
      root, planId: plan, overlays: overlays(await documents(root)), lines: 'lsp', reports: ['llm'], omit: ['diff'], env: environment(),
    });
    return result?.reports?.llm;
  }

  /** Saves documents and plans again, so that the daemon writes all of it. */
  private async saveAndCarryOut(flow: Flow, model: Model, unsaved: Held[]): Promise<void> {
    for (const each of unsaved) {
      if (each.document.isDirty && !await each.document.save()) {
        return void warn(`${path.basename(each.path)} could not be saved; nothing was applied`);
      }
    }
    flow.disk = true;
    const again = await this.again(flow, model);
    if (again?.same) {
      await this.execute({ flow, model: again.model });
    } else if (again) {
      await this.reviews.open(flow, again.model);
    }
  }
}

/** The reason why a plan has nothing to do, if so. */
function nothing({ review }: Model): string | undefined {
  return review.nothing === undefined ? undefined : advice(review.nothing);
}

/** True if a document is not as it was when it was planned over. */
function isChanged(before: Held | undefined, now: Held | undefined): boolean {
  const isDirty = before?.dirty || now?.dirty;
  return Boolean(isDirty) && !(before?.dirty && now?.dirty && before.document === now.document && before.version === now.version);
}

function uriOf(each: Held): string {
  return vscode.Uri.file(each.path).toString();
}

function holds({ document }: Held, file: PlannedFile): boolean {
  return canHold(document, file.hunks.flatMap(({ added }) => added));
}

/** The reason why a file of the plan cannot be changed while its document is as it is. */
function blocked(flow: Flow, file: PlannedFile): string | undefined {
  const each = flow.places.get(file);
  return !each?.dirty ? undefined
    : each.refused ? `it is not saved, and ${each.refused}: save it first`
      : file.kind === 'move' || file.kind === 'delete' ? 'it is not saved: save it first'
        : flow.disk ? 'it was modified again: save it first'
          : holds(each, file) ? undefined : 'it is not saved, and its line ends would be others: save it first';
}
