/** What comes after an answer was applied: one line, the problems at their places, the reports. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Flow } from './flow';
import { notice } from './plan';
import type { ActionResult, ExecutionResult, Reports } from './protocol';
import { setting, type Status, tell, tellError, type Texts, warn } from './status';
import { harmless, plural, visible } from './text';
import type { Applied } from './undo';

/** What became of an action, in the words of the summary. One that was accepted and skipped depends on another one. */
function outcome({ declined }: Flow, { kind, status, task }: ActionResult): string {
  return kind === 'answer_already_applied' ? 'done before' : status === 'SUCCESS' ? 'done' : status !== 'SKIP' ? 'failed'
    : kind === 'skipped' && declined?.has(task) ? 'left out' : 'not applied';
}

export class After {
  private reports: Reports | undefined;

  constructor(
    private readonly output: vscode.OutputChannel,
    private readonly diagnostics: vscode.DiagnosticCollection,
    private readonly status: Status,
    private readonly texts: Texts,
  ) {}

  /**
   * Tells how it went with the documents `applied`; `undo` takes back what was done, if anything was.
   */
  async show(flow: Flow, result: ExecutionResult, applied: Applied[], undo?: () => Promise<void>): Promise<void> {
    const counts = new Map<string, number>();
    const add = (name: string, more = 1) => counts.set(name, (counts.get(name) ?? 0) + more);
    result.results.forEach((action) => add(outcome(flow, action)));
    add('failed', result.parseErrors.length);
    const names = ['done', 'failed', 'not applied', 'left out', 'done before'];
    const [proposals, unread] = [result.proposals ?? [], result.notRead?.length ?? 0];
    const undecided = proposals.filter((each) => !each.declined).length;
    const more = [
      ...(undecided > 0 ? [`${plural(undecided, 'proposal')} not decided`] : []),
      ...(proposals.length > undecided ? [`${plural(proposals.length - undecided, 'proposal')} declined`] : []),
      ...(unread > 0 ? [`${plural(unread, 'part')} of the answer not applied`] : []),
    ];
    const unsaved = applied.filter(({ saved }) => !saved).map((each) => path.basename(each.path));
    const commit = result.git?.after ? ` · commit ${result.git.after.slice(0, 8)}` : '';
    const line = [...names.filter((name) => name === 'done' || counts.get(name)).map((name) => `${counts.get(name) ?? 0} ${name}`), ...more]
      .join(', ') + (unsaved.length > 0 ? ` · not saved: ${unsaved.join(', ')}` : '') + commit;
    const isBad = (counts.get('failed') ?? 0) + (counts.get('not applied') ?? 0) + undecided + unread > 0 || result.fatalError !== undefined;
    this.reports = result.reports;
    this.output.appendLine(visible(result.reports?.text ?? line));
    this.diagnose(flow, result);
    const when = setting<string>('copyReport');
    const isCopied = (when === 'always' || (when === 'failures' && isBad)) && await this.copy();
    if (undo) {
      this.status.offerUndo(line);
    } else {
      this.status.forgetUndo();
      void vscode.window.setStatusBarMessage(`clada: ${harmless(line)}`, 10_000);
    }
    if (isBad) {
      const [fatal, copied] = [result.fatalError ? ` · ${result.fatalError}` : '', isCopied ? ' · the report for the model is in the clipboard' : ''];
      const buttons = undo ? ['Show the report', 'Undo'] : ['Show the report'];
      void warn(`${line}${fatal}${copied}`, ...buttons).then((button) =>
        button === 'Undo' ? undo?.().catch(tellError) : button && this.output.show(true));
    }
  }

  /** Puts the report for the model into the clipboard: this one, else that of the last answer. */
  async copy(text = this.reports?.llm): Promise<boolean> {
    if (text !== undefined) {
      await vscode.env.clipboard.writeText(text);
    }
    return text !== undefined;
  }

  async copyReport(text?: string): Promise<void> {
    void tell(await this.copy(text) ? 'the report for the model is in the clipboard' : 'nothing was applied yet');
  }

  /** Lists what failed at its places, in place of what failed before. */
  private diagnose(flow: Flow, result: ExecutionResult): void {
    const { root, answer } = flow;
    const found = new Map<string, vscode.Diagnostic[]>();
    const add = (uri: vscode.Uri, line: number, message: string, isError: boolean) => {
      const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
      const range = new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER);
      const diagnostic = new vscode.Diagnostic(range, visible(message), isError ? error : warning);
      diagnostic.source = 'clada';
      found.set(uri.toString(), [...(found.get(uri.toString()) ?? []), diagnostic]);
    };
    // What has no place in a file has one in the answer.
    const text = answer.document?.uri ?? this.texts.set('/answer/answer.md', answer.text);
    const inAnswer = (line = 1) => Math.max(0, (answer.line ?? 0) + line - 1);
    for (const action of result.results) {
      if (['failed', 'not applied'].includes(outcome(flow, action))) {
        const file = action.place ? path.resolve(root, action.place.path) : root;
        const isInside = file.startsWith(root.replace(/\/?$/, '/'));
        const line = isInside ? action.place?.line ?? 0 : inAnswer(result.blocks[action.block]?.startLine);
        add(isInside ? vscode.Uri.file(file) : text, line, `${action.kind ?? action.status}: ${action.error ?? action.action}${action.hint ? `\n${action.hint}` : ''}`,
          action.status !== 'SKIP');
      }
    }
    for (const issue of result.parseErrors) {
      add(text, inAnswer(issue.line ?? issue.blockStartLine), `${issue.code ?? issue.errorType}: ${issue.message}`, true);
    }
    for (const proposal of result.proposals ?? []) {
      if (!proposal.declined) {
        add(text, inAnswer(proposal.line), `proposed, not decided: ${proposal.path}: ${proposal.title ?? proposal.form}\nApply the answer again to decide.`, false);
      }
    }
    for (const other of result.notRead ?? []) {
      add(text, inAnswer(other.line), notice(other), false);
    }
    this.diagnostics.clear();
    found.forEach((list, uri) => this.diagnostics.set(vscode.Uri.parse(uri), list));
  }
}
