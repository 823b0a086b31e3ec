/** The extension beside a mock of the editor, for `editors/together`: it takes a JSON value a line, and answers each. */

import * as path from 'node:path';
import * as readline from 'node:readline';
import { apply, carryOut, editor, end, person, run } from '../world';
import type { Document } from '../vscode';

const root = process.env['TOGETHER_ROOT']!;
const documents = new Map<string, Document>();
editor(root);

async function answer([what, first, second]: string[]): Promise<unknown> {
  switch (what) {
    case 'open':
      documents.set(first!, person.open(path.join(root, first!)));
      return documents.get(first!)?.type(0, 0, second!);
    case 'apply':
      await apply(first!);
      return carryOut();
    case 'undo':
      return run('undo');
    default:
      return [documents.get(first!)?.getText(), person.output, person.notices];
  }
}

// One after another, as a person does things.
let last = Promise.resolve();
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  last = last.then(async () => {
    const value = await answer(JSON.parse(line) as string[]).catch((error: unknown) => String(error));
    process.stdout.write(`${JSON.stringify(value ?? null)}\n`);
  });
}).on('close', () => {
  end();
  process.exit();
});
