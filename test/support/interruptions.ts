/** Calls to the in-memory engine that fail: before, in the middle or after. */
import type { Interceptor, MemoryCall } from '../../src/engine/memory/memory-call.ts';
import type { MemoryOperation } from '../../src/engine/memory/operations.ts';

/** Where to fail: at the `operation`-th call from now on (1 is the next) of that name and kind. Happens once. */
export type Interruption = {
  operation: number;
  /** Default: `execute`. */
  name?: MemoryCall['name'];
  /** The kind of an operation. Default: any. */
  kind?: MemoryOperation['kind'];
  /** `halfway` leaves a container that was created and never started, or some volumes swapped; else it is `before`. */
  when: 'before' | 'halfway' | 'after';
  /** Default: an Error, as when the process dies. */
  error?: Error;
};

/** Performs every call, except for the given interruptions. */
export function interruptions(): { intercept: Interceptor; interrupt: (interruption: Interruption) => void } {
  const awaited: Interruption[] = [];

  /** Counts down the interruptions, and answers the one whose turn it is. */
  function next({ name, operation }: MemoryCall): Interruption | undefined {
    const concerned = awaited.filter(
      (each) => (each.name ?? 'execute') === name && (each.kind === undefined || each.kind === operation?.kind),
    );
    for (const interruption of concerned) interruption.operation--;
    const due = concerned.find((interruption) => interruption.operation <= 0);
    if (due) awaited.splice(awaited.indexOf(due), 1);
    return due;
  }

  return {
    interrupt: (interruption) => void awaited.push({ ...interruption }),
    async intercept(call, perform) {
      const interruption = next(call);
      if (!interruption) return perform();
      const { when, error = new Error(`interrupted ${when} ${call.operation?.kind ?? call.name}`) } = interruption;
      const hasMiddle = call.operation?.kind === 'start' || call.name === 'copies.swap';
      if (when === 'after') await perform();
      if (when === 'halfway' && hasMiddle) await perform('halfway');
      throw error;
    },
  };
}
