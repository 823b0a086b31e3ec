/** What comes after an answer was applied: one line, the problems at their places, the reports. */

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Flow } from './flow';
import { advice } from './plan';
import type { ExecutionResult, ReviewNote, Reports } from './protocol';
import { setting, type Status, tell, tellError, type Texts, warn } from './status';
import { harmless, visible } from './text';
import type { Applied } from './undo';

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
    const { line: counts = '', complete = false, problems = [] } = result.outcome ?? {};
    const unsaved = applied.filter(({ saved }) => !saved).map((each) => path.basename(each.path));
    const commit = result.git?.after ? ` · commit ${result.git.after.slice(0, 8)}` : '';
    const line = counts + (unsaved.length > 0 ? ` · not saved: ${unsaved.join(', ')}` : '') + commit;
    const isBad = !complete || result.fatalError !== undefined;
    this.reports = result.reports;
    this.output.appendLine(visible(result.reports?.text ?? line));
    this.diagnose(flow, problems);
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
  private diagnose({ root, answer }: Flow, problems: ReviewNote[]): void {
    const found = new Map<string, vscode.Diagnostic[]>();
    // What has no place in a file has one in the answer.
    const text = answer.document?.uri ?? this.texts.set('/answer/answer.md', answer.text);
    for (const { severity, text: words, hint, place, line: inAnswer = 1 } of problems) {
      const file = place && path.resolve(root, place.path);
      const isInside = file?.startsWith(root.replace(/\/?$/, '/')) ?? false;
      const uri = file && isInside ? vscode.Uri.file(file) : text;
      const line = isInside ? place?.line ?? 0 : Math.max(0, (answer.line ?? 0) + inAnswer - 1);
      const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
      const range = new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER);
      const message = advice(hint === undefined ? words : `${words}\n${hint}`);
      const diagnostic = new vscode.Diagnostic(range, visible(message), severity === 'error' ? error : warning);
      diagnostic.source = 'clada';
      found.set(uri.toString(), [...(found.get(uri.toString()) ?? []), diagnostic]);
    }
    this.diagnostics.clear();
    found.forEach((list, uri) => this.diagnostics.set(vscode.Uri.parse(uri), list));
  }
}
