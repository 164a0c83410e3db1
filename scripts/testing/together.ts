/**
 * Runs several test files in this process, one after another: `node together.ts FILE …`. Each is a suite of its own, so
 * that its hooks do not apply to the others, and a file that cannot be loaded is one failed test.
 */
import { relative } from 'node:path';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { printFact } from './facts.ts';

for (const file of process.argv.slice(2)) {
  const name = relative(process.cwd(), file);
  describe(name, async () => {
    before(() => printFact({ kind: 'reached', file: name }));
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      test('it can be loaded', () => {
        throw error;
      });
    }
  });
}
