/**
 * What agents wait for: one notice each, the daemon's text as plain text, and the decision.
 *
 * A notice holds no text of an agent, since notices make links of what looks like one.
 */

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Daemon } from './connection';
import type { ApprovalDecision, ProjectEvent, WaitingApproval } from './protocol';
import { closeTabs, isTrusted, patient, setting, tell, tellError, type Texts, warn } from './status';
import { harmless, short, visible } from './text';

const MOST_DETAIL = 1500;

export class Approvals {
  private readonly waiting = new Set<string>();
  /** What was shown whole: only that can be approved. */
  private readonly shown = new Set<string>();

  constructor(
    private readonly daemon: Daemon,
    private readonly texts: Texts,
    private readonly changed: () => void,
  ) {}

  get count(): number {
    return this.waiting.size;
  }

  /** Takes an event about an answer that waits. */
  on({ kind, approvalId, root }: Pick<ProjectEvent, 'kind' | 'approvalId' | 'root'>): void {
    if (approvalId === undefined || !vscode.workspace.isTrusted) {
      return;
    }
    if (kind === 'approvalAsked' && !this.waiting.has(approvalId)) {
      this.waiting.add(approvalId);
      void this.notice(approvalId, root).catch(tellError);
    } else if (kind === 'approvalAnswered') {
      this.waiting.delete(approvalId);
      this.shown.delete(approvalId);
      closeTabs((uri) => uri.path === place(approvalId));
    }
    this.changed();
  }

  /** Finds what has waited since before a subscription, and raises no event any more. */
  async look(root: string): Promise<void> {
    const { approvals } = await this.daemon.call('approval.list', { root });
    approvals.forEach(({ id }) => this.on({ kind: 'approvalAsked', approvalId: id, root }));
  }

  private async notice(id: string, root: string): Promise<void> {
    if (setting<boolean>('approvalNotices')) {
      const button = await warn(`an agent waits for your approval in ${path.basename(root)}`, 'Show', 'Decide…');
      const found = button && await this.find(id);
      if (found) {
        await (button === 'Show' ? this.show(found) : this.decide(found));
      }
    }
  }

  /** Asks about one that waits, in the daemon's words. */
  async answer(): Promise<void> {
    if (!isTrusted('approving')) {
      return;
    }
    const { approvals } = await this.daemon.call('approval.list', {});
    this.waiting.clear();
    approvals.forEach(({ id }) => this.waiting.add(id));
    this.changed();
    // One that is shown is the one that is meant.
    const shown = vscode.window.activeTextEditor?.document.uri;
    const here = shown?.scheme === 'clada' ? approvals.find(({ id }) => shown.path === place(id)) : undefined;
    const items = approvals.map((each) => ({
      label: short(each.client ?? 'an agent'), description: harmless(each.root),
      detail: short(each.approvals.map(({ command, path: file }) => command ?? file).join(' · ')), each,
    }));
    const picked = here ?? (approvals.length > 1
      ? (await vscode.window.showQuickPick(items, { placeHolder: 'What waits for your approval' }))?.each : approvals[0]);
    if (picked) {
      await this.decide(picked);
    } else if (approvals.length === 0) {
      void tell('nothing waits for an approval');
    }
  }

  private async find(id: string): Promise<WaitingApproval | undefined> {
    const { approvals } = await this.daemon.call('approval.list', {});
    const found = approvals.find((each) => each.id === id);
    if (!found) {
      void tell('it waits no longer');
    }
    return found;
  }

  private async show({ id, text, diff, changedSince }: WaitingApproval): Promise<void> {
    const parts = [text, changedSince && `Since it was asked about before:\n${changedSince}`, diff];
    await this.texts.show(place(id), visible(parts.filter(Boolean).join('\n\n')), 'plaintext');
    this.shown.add(id);
  }

  private async decide(waiting: WaitingApproval): Promise<void> {
    const text = visible(waiting.text);
    const isLong = text.length > MOST_DETAIL;
    const isRead = !isLong || this.shown.has(waiting.id);
    const rest = isRead ? 'Show has all of it.' : 'Show has all of it: read it there, then decide.';
    const detail = isLong ? `${text.slice(0, MOST_DETAIL)}…\n\n${rest}` : text;
    const message = `An agent waits for your approval in ${harmless(path.basename(waiting.root))}`;
    // The first is what Enter presses: it decides nothing.
    const buttons = isRead ? ['Show', 'No', 'Once'] : ['Show', 'No'];
    const button = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...buttons);
    if (button === 'Show') {
      return this.show(waiting);
    }
    const decision: ApprovalDecision | undefined = button === undefined ? undefined : button === 'Once' ? 'once' : 'no';
    if (decision) {
      const result = await patient('answering', (token) => this.daemon.call('approval.answer', { id: waiting.id, decision }, token));
      this.on({ kind: 'approvalAnswered', approvalId: waiting.id, root: waiting.root });
      if (result.askedAgain) {
        void warn('it is another plan by now, and nothing was done: it is asked about again');
      }
    }
  }
}

function place(id: string): string {
  return `/approval/${id}/approval.txt`;
}
