/** Measures what a review of 500 hunks in 10 MB costs the extension host, in its own time of the processor. */

import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Model } from '../../src/plan';
import { modelOf, proposed } from '../../src/plan';
import type { FileHunk, PlannedFile, PlanResult } from '../../src/protocol';
import { editor, end, nodes, project } from '../world';

const [LINES, HUNKS, ROUNDS] = [170_000, 500, 9];
const root = project();
const text = Array.from({ length: LINES }, (_, at) => `line ${String(at).padStart(6, '0')} of a file that is as long as files get to be\n`);
fs.writeFileSync(path.join(root, 'large.txt'), text.join(''));
const hunks = Array.from({ length: HUNKS }, (_, at): FileHunk => {
  const start = at * (LINES / HUNKS) + 7;
  return { id: `h${at}`, group: `g${at}`, parts: ['a1'], start, removed: [text[start]!], added: ['another line\n', 'and one more\n'] };
});
const file: PlannedFile = { path: 'large.txt', uri: `file://${root}/large.txt`, kind: 'change', hunks };
const plan = {
  planId: 'p1', approvals: [], parseErrors: [], files: [file],
  actions: [{ id: 'a1', seq: 1, task: '1', action: 'file_patch', path: 'large.txt', hunks: [] }],
} as unknown as PlanResult;

function median(work: () => void): string {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = process.cpuUsage();
    work();
    return process.cpuUsage(began).user / 1000;
  });
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!.toFixed(1);
}

const { reviews } = editor(root);
let model: Model;
const made = median(() => {
  model = modelOf(plan, () => undefined);
});
const flow = { root, answer: { text: '', source: 'the bench' }, review: true, places: new Map(), held: new Map() };
void reviews.open(flow as never, model!);
const shown = median(() => {
  if (nodes().length !== HUNKS + 2) {
    throw new Error(`${nodes().length} nodes`);
  }
});
const whole = text.join('');
const difference = median(() => proposed(whole, file));
console.log(`${HUNKS} hunks in ${(whole.length / 1e6).toFixed(1)} MB, medians of ${ROUNDS}: model ${made} ms, tree ${shown} ms, a difference ${difference} ms`);
end();
