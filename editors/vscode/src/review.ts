/**
 * The review of plans: a tree of files with their groups of hunks, each with a check box.
 *
 * One a root. It outlives its view. It changes no file and no document.
 */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { read } from './documents';
import type { Flow } from './flow';
import { advice, count, decide, type Model, proposed, type ShownFile, type Unit, undecided } from './plan';
import type { FailurePlace, FileHunk } from './protocol';
import { closeTabs, type Texts } from './status';
import { harmless, plural, short, visible } from './text';

export interface Review {
  readonly flow: Flow;
  readonly model: Model;
  running?: boolean;
}

export type Node = { readonly review: Review } & (
  | { readonly kind: 'review' }
  | { readonly kind: 'note'; readonly text: string; readonly detail?: string | undefined; readonly bad: boolean;
    readonly place?: FailurePlace | undefined }
  | { readonly kind: 'unit'; readonly unit: Unit }
  | { readonly kind: 'file'; readonly shown: ShownFile }
  | { readonly kind: 'hunks'; readonly shown: ShownFile; readonly unit: Unit; readonly hunks: FileHunk[] });

const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export class Reviews implements vscode.TreeDataProvider<Node> {
  private readonly reviews = new Map<string, Review>();
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private last: string | undefined;

  constructor(private readonly texts: Texts, private readonly changed: () => void) {}

  /** The review of a root, or the one that was opened last. */
  get(root = this.last): Review | undefined {
    return root === undefined ? undefined : this.reviews.get(root);
  }

  get all(): Review[] {
    return [...this.reviews.values()];
  }

  /** Opens the review of a model, in place of the one that there is of this root. */
  async open(flow: Flow, model: Model): Promise<void> {
    this.reviews.set(flow.root, { flow, model });
    this.last = flow.root;
    this.refresh();
    this.tidy();
    await vscode.commands.executeCommand('setContext', 'clada.reviewing', true);
    await vscode.commands.executeCommand('clada.review.focus');
  }

  close(root: string): void {
    this.reviews.delete(root);
    this.tidy();
    this.last = [...this.reviews.keys()].at(-1);
    this.refresh();
    if (this.reviews.size === 0) {
      void vscode.commands.executeCommand('setContext', 'clada.reviewing', false);
    }
  }

  /** Closes the differences of plans that are reviewed no longer. */
  private tidy(): void {
    const plans = new Set(this.all.map(({ model }) => model.plan.planId));
    closeTabs(({ path: name }) => name.startsWith('/then/') && !plans.has(name.split('/')[2] ?? ''));
  }

  refresh(): void {
    this.changes.fire(undefined);
    this.changed();
  }

  /**
   * Takes what was ticked. A file's box is for all of it but what needs approval, which is ticked by itself; the box of all
   * is for no proposals.
   */
  tick(items: ReadonlyArray<[Node, vscode.TreeItemCheckboxState]>): void {
    for (const [node, state] of items) {
      const accepted = state === Checked;
      const units = node.kind === 'file' && node.shown.hunks.length > 0 ? node.shown.units
        : node.kind === 'review' ? node.review.model.units : [unitOf(node)];
      for (const unit of units) {
        const isAllowed = !unit?.blocked && (units.length === 1 || unit?.approvals.length === 0)
          && !(node.kind === 'review' && unit?.proposal);
        if (unit && (!accepted || isAllowed)) {
          decide(unit, accepted);
        }
      }
    }
    this.refresh();
  }

  /** Ticks a node, or takes its tick away. */
  toggle(node: Node): void {
    const isTicked = node.kind === 'review' ? node.review.model.units.every(({ accepted }) => accepted) : this.getTreeItem(node).checkboxState === Checked;
    this.tick([[node, isTicked ? Unchecked : Checked]]);
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.all.map((review) => ({ kind: 'review', review }));
    }
    const { review } = node;
    const note = (text: string, bad = false, detail?: string, place?: FailurePlace): Node =>
      ({ kind: 'note', review, text, bad, detail, place });
    if (node.kind === 'review') {
      const { review: { notes }, units, files } = review.model;
      return [
        ...notes.map(({ severity, text, hint, place }) => note(advice(text), severity !== 'note', hint && advice(hint), place)),
        ...units.filter(({ title }) => title !== undefined).map((unit): Node => ({ kind: 'unit', review, unit })),
        ...files.map((shown): Node => ({ kind: 'file', review, shown })),
      ];
    }
    if (node.kind === 'note') {
      return node.detail ? visible(node.detail).split('\n').map((line) => note(line)) : [];
    }
    if (node.kind === 'file') {
      const { shown } = node;
      const groups = new Map<Unit, FileHunk[]>();
      for (const { hunk, unit } of shown.hunks) {
        const group = groups.get(unit) ?? [];
        group.push(hunk);
        groups.set(unit, group);
      }
      const whole = shown.unit && groups.size === 0 ? approvals(shown.unit).map((line) => note(line)) : [];
      return [...(shown.file.about ?? []).map((line) => note(line)), ...whole, ...[...groups].map(([unit, hunks]): Node => ({ kind: 'hunks', review, shown, unit, hunks }))];
    }
    return approvals(node.unit).map((line) => note(line));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === 'review') {
      const { flow: { root, answer }, model } = node.review;
      const [accepted, all] = count(model);
      const item = new vscode.TreeItem(harmless(path.basename(root)), Expanded);
      const { failed } = model.review;
      // Another plan is open again, however the one before was folded.
      item.id = model.plan.planId;
      const open = undecided(model);
      item.description = `${accepted} of ${all} accepted${open > 0 ? `, ${plural(open, 'proposal')} to decide` : ''}${failed > 0 ? `, ${failed} failed` : ''} · ${short(answer.source)}`;
      item.contextValue = 'review';
      return item;
    }
    if (node.kind === 'note') {
      const item = new vscode.TreeItem(short(node.text, 300), node.detail ? Collapsed : None);
      if (node.bad) {
        item.iconPath = new vscode.ThemeIcon('error');
      }
      item.tooltip = visible(node.text);
      return node.place ? opens(item, node) : item;
    }
    const unit = unitOf(node);
    const item = node.kind === 'unit' ? unitItem(node.unit) : node.kind === 'file' ? fileItem(node) : hunksItem(node);
    const units = node.kind === 'file' ? node.shown.units : unit ? [unit] : [];
    const waits = units.some(({ approvals, accepted }) => approvals.length > 0 && !accepted);
    const blocked = units.find((each) => each.blocked)?.blocked;
    const suspicious = units.some((each) => each.suspicious) || isHidden(node);
    const remarks = [item.description, waits && 'needs approval', blocked, suspicious && 'holds hidden characters'];
    item.description = remarks.filter(Boolean).join(' · ');
    if (waits || blocked || suspicious) {
      item.iconPath = new vscode.ThemeIcon('warning');
    } else if (node.kind === 'file' && node.shown.file.proposal) {
      item.iconPath = new vscode.ThemeIcon('question');
    }
    if (!units.every((each) => each.blocked)) {
      const plain = units.filter(({ approvals }) => approvals.length === 0);
      const counted = plain.length > 0 ? plain : units;
      item.checkboxState = counted.every(({ accepted }) => accepted) ? Checked : Unchecked;
    }
    if (node.kind === 'hunks' && node.hunks.length === 1) {
      item.contextValue = 'hunk';
      item.description = `${item.description}${node.hunks[0]?.edited ? ' · edited by you' : ''}`;
    }
    return node.kind === 'unit' ? item : opens(item, node);
  }

  getParent(): undefined {
    return undefined;
  }

  /** Opens what a node is about: the difference that a file's hunks make, or the place of a failure. */
  async show(node: Node): Promise<void> {
    const { root } = node.review.flow;
    if (node.kind === 'note' && node.place) {
      const file = path.resolve(root, node.place.path);
      if (file.startsWith(root.replace(/\/?$/, '/'))) {
        if (await read(file) === undefined) {
          throw new Error(`${node.place.path} is not there`);
        }
        const at = new vscode.Position(node.place.line ?? 0, 0);
        await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: true, selection: new vscode.Range(at, at) });
      }
    } else if (node.kind === 'file' || node.kind === 'hunks') {
      const { file } = node.shown;
      const { planId } = node.review.model.plan;
      const held = node.review.flow.places.get(file);
      const now = path.join(root, file.oldPath ?? file.path);
      const before = file.kind === 'create' ? undefined : held?.document.getText() ?? (await read(now))?.replace('\ufeff', '');
      const left = before === undefined ? this.texts.set(`/now/${planId}/${file.path}`, '') : vscode.Uri.file(now);
      const after = file.kind === 'delete' ? '' : proposed(before ?? '', file);
      const right = this.texts.set(`/then/${planId}/${file.path}`, after);
      const [hunk] = node.kind === 'hunks' ? node.hunks : file.hunks;
      const earlier = hunk ? file.hunks.slice(0, file.hunks.indexOf(hunk)) : [];
      const line = earlier.reduce((at, each) => at + each.added.length - each.removed.length, hunk?.start ?? 0);
      const options = { preview: true, preserveFocus: true, selection: new vscode.Range(line, 0, line, 0) };
      // The left side is what the document holds, the right one was planned over what it held.
      const isOld = held !== undefined && held.document.version !== held.version;
      const title = `${harmless(path.basename(file.path))} (proposed${isOld ? ' before you typed: applying plans it again' : ''})`;
      await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
    }
  }
}

/** What accepting a unit approves, in the daemon's words. */
function approvals({ approvals: ids, approvalText = '' }: Unit): string[] {
  return ids.length > 0 ? ['ticking it approves it:', ...visible(approvalText).trim().split('\n')] : [];
}

function unitOf(node: Node): Unit | undefined {
  return node.kind === 'unit' || node.kind === 'hunks' ? node.unit : node.kind === 'file' ? node.shown.unit : undefined;
}

function opens(item: vscode.TreeItem, node: Node): vscode.TreeItem {
  item.command = { command: 'clada.open', title: 'Show', arguments: [node] };
  return item;
}

function isHidden(node: Node): boolean {
  const added = node.kind === 'hunks' ? node.hunks.flatMap((hunk) => hunk.added).join('') : '';
  return visible(added) !== added.replaceAll('\r\n', '\n');
}

function unitItem(unit: Unit): vscode.TreeItem {
  const text = unit.title ?? unit.id;
  const item = new vscode.TreeItem(short(text), unit.approvals.length > 0 ? Expanded : None);
  item.tooltip = visible(`${text}\n${unit.diff ?? ''}`).trim();
  return item;
}

function fileItem({ shown: { file, hunks, unit }, review }: Node & { kind: 'file' }): vscode.TreeItem {
  const isLong = hunks.length > 50;
  const isNested = hunks.length > 0 || file.proposal !== undefined || (unit?.approvals.length ?? 0) > 0;
  const item = new vscode.TreeItem(short(file.path), isNested ? isLong ? Collapsed : Expanded : None);
  const held = review.flow.places.get(file);
  item.description = [
    file.proposal ? 'proposed' : '',
    file.kind === 'move' ? `moved from ${short(file.oldPath ?? '')}` : file.kind === 'change' ? '' : `${file.kind}d`,
    isLong ? plural(hunks.length, 'hunk') : '', held?.dirty ? 'not saved' : '', file.truncated ? 'not all of it is shown' : '',
  ].filter(Boolean).join(' · ');
  item.tooltip = visible(`${file.path}\n${file.diff ?? ''}`).trim().slice(0, 4000);
  return item;
}

function hunksItem({ hunks, unit }: Node & { kind: 'hunks' }): vscode.TreeItem {
  const [first] = hunks;
  const sum = (side: 'added' | 'removed') => hunks.reduce((all, hunk) => all + hunk[side].length, 0);
  const text = (first?.added.find((line) => line.trim()) ?? first?.removed.find((line) => line.trim()) ?? '').trim();
  const item = new vscode.TreeItem(`+${sum('added')} −${sum('removed')}  ${short(text, 60)}`,
    unit.approvals.length > 0 ? Expanded : None);
  item.description = hunks.map((hunk) => `line ${hunk.start + 1}`).slice(0, 4).join(', ');
  item.tooltip = visible(hunks.map((hunk) => [
    `line ${hunk.start + 1}`, ...hunk.removed.map((line) => `- ${line.trimEnd()}`),
    ...hunk.added.map((line) => `+ ${line.trimEnd()}`)].join('\n')).join('\n')).slice(0, 4000);
  return item;
}
