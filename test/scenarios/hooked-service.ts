/**
 * The service as `npm run serve` starts it, with two hooks for a test: it reports every operation and can be killed
 * right after one, and its clock can be set. Orders come from the parent process. Its argument is the initial
 * difference between its clock and the machine's, in milliseconds.
 */
import { flushCompileCache } from 'node:module';
import { describePlan } from '../../src/deployment/plan/operation.ts';
import { serve } from '../../src/main.ts';
import { stopOnSignal } from '../../src/running-service.ts';
import { settingsOrExit } from '../../src/settings/command-line.ts';

export type Order =
  /** Die like a killed process, after so many operations from now on; 0: live. */
  | { kind: 'die'; afterOperations: number }
  /** From now on the clock differs so much from the machine's. */
  | { kind: 'clock'; offsetMs: number };

/** `operation` is one line of a plan. */
export type Report = { kind: 'operation'; operation: string } | { kind: 'obeyed' };

let toLive = 0;
let offsetMs = Number(process.argv[2] ?? 0);
const report = (report: Report) => process.send!(report);

process.on('message', (order: Order) => {
  if (order.kind === 'die') toLive = order.afterOperations;
  else offsetMs = order.offsetMs;
  report({ kind: 'obeyed' });
});
// A test that has died takes its service along.
process.once('disconnect', () => process.exit());

stopOnSignal(
  await serve(settingsOrExit(), undefined, {
    now: () => Date.now() + offsetMs,
    afterOperation: (operation) => {
      if (--toLive === 0) process.kill(process.pid, 'SIGKILL');
      report({ kind: 'operation', operation: describePlan([operation]) });
    },
  }),
);
// Kept now, for its next start: it is killed more often than it ends.
flushCompileCache();
