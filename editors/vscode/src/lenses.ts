/**
 * The hunks of a review in the documents of their files: a line above each says what becomes of it, and decides.
 *
 * A hunk is shown only over the text that it was planned over; once the document has changed, one line says so.
 */

import * as path from 'node:path';
import * as vscode from 'vscode';
import { canonical } from './documents';
import type { PlannedFile } from './protocol';
import type { Node, Review, Reviews } from './review';
import { lines, plural } from './text';

export class Lenses implements vscode.CodeLensProvider {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;

  constructor(private readonly reviews: Reviews) {
    reviews.onDidChangeTreeData(() => this.changes.fire());
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const file = await canonical(document.uri.fsPath);
    await Promise.all(this.reviews.all.map((review) => this.adopt(review, document, file)));
    return this.reviews.all.flatMap((review) => this.of(review, document));
  }

  /** Gives a document that was opened after the plan its place in it, if it holds what was planned over. */
  private async adopt({ flow, model }: Review, document: vscode.TextDocument, place: string): Promise<void> {
    const { version, isDirty } = document;
    for (const { file } of model.files) {
      const known = flow.places.get(file);
      if ((!known || known.document.isClosed) && await canonical(path.join(flow.root, file.oldPath ?? file.path)) === place) {
        const isAsPlanned = !isDirty && holdsOld(document, file);
        flow.places.set(file, { document, path: place, version: isAsPlanned ? version : -1, dirty: false, mark: false, refused: undefined });
      }
    }
  }

  private of(review: Review, document: vscode.TextDocument): vscode.CodeLens[] {
    // Of several versions of a file the one that is accepted.
    const all = review.model.files.filter(({ file }) => review.flow.places.get(file)?.document === document);
    const shown = all.find(({ hunks }) => hunks.some(({ unit }) => unit.accepted)) ?? all[0];
    if (!shown || shown.hunks.length === 0) {
      return [];
    }
    const lens = (line: number, title: string, command: string, node?: Node) => {
      const at = Math.min(line, document.lineCount - 1);
      return new vscode.CodeLens(new vscode.Range(at, 0, at, 0), { title, command, ...(node ? { arguments: [node] } : {}) });
    };
    if (review.flow.places.get(shown.file)?.version !== document.version) {
      return [lens(0, `clada: ${plural(shown.hunks.length, 'hunk')} planned before you typed: applying plans again`, 'clada.carryOut')];
    }
    return shown.hunks.flatMap(({ hunk, unit }) => {
      const node: Node = { kind: 'hunks', review, shown, unit, hunks: [hunk] };
      const state = unit.blocked ? '! not possible now' : unit.accepted ? '✓ accepted' : unit.proposal && !unit.declined ? '? proposed' : unit.approvals.length > 0 ? '! needs approval' : '✗ left out';
      const decide = unit.blocked || (unit.approvals.length > 0 && !unit.accepted) ? []
        : [lens(hunk.start, unit.accepted ? 'leave out' : 'accept', 'clada.toggleHunk', node)];
      return [
        lens(hunk.start, `clada +${hunk.added.length} −${hunk.removed.length} ${state}`, 'clada.open', node),
        ...decide,
        lens(hunk.start, 'edit', 'clada.editHunk', node),
      ];
    });
  }
}

/** True if the lines that the hunks of a file remove are in the document, where the plan has them. */
function holdsOld(document: vscode.TextDocument, { hunks }: PlannedFile): boolean {
  const bare = (line?: string) => line?.replace(/[\r\n]+$/, '');
  const held = lines(document.getText());
  return hunks.every(({ start, removed }) => removed.every((line, at) => bare(held[start + at]) === bare(line)));
}
