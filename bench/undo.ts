/** Cleanup steps at the end of the benchmark, also after a failure or an interruption. */

export type Undo = {
  /** Steps run in the reverse order of their registration, each one although another fails. */
  add(what: string, step: () => Promise<unknown>): void;
  /** Returns what could not be undone, in words. */
  run(): Promise<string[]>;
};

export function createUndo(): Undo {
  const steps: { what: string; step: () => Promise<unknown> }[] = [];
  return {
    add: (what, step) => void steps.push({ what, step }),
    async run() {
      const failures: string[] = [];
      for (let next = steps.pop(); next; next = steps.pop()) {
        const { what, step } = next;
        await step().catch((error: Error) => failures.push(`${what}: ${error.message}`));
      }
      return failures;
    },
  };
}

/** Aborted by the first Ctrl-C or SIGTERM; the second one ends the process as it is. */
export function signalOfInterruption(): AbortSignal {
  const interruption = new AbortController();
  const interrupt = () => {
    if (interruption.signal.aborted) process.exit(130);
    process.stderr.write('\nInterrupted: removing what was made …\n');
    interruption.abort(new Error('interrupted'));
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return interruption.signal;
}
