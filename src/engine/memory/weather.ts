/** Everything that can go wrong with a call to the in-memory engine: it is late, fails before, in the middle or after. */
import type { EngineCore } from '../engine.ts';
import type { MemoryOperation } from './operations.ts';

/** A call of the engine's port. What a plan asks of a facet is an execution, like what it asks of the core. */
export type MemoryCall = {
  name: Exclude<keyof EngineCore, 'watch' | 'followLogs'> | 'images.list' | 'images.remove' | 'disk.use';
  deploymentId?: string;
  operation?: MemoryOperation;
};

/**
 * Decides what becomes of a call: performs it or not, sooner or later, answers or throws. `halfway` stops a start
 * between the creation of the container and its start, as a crash does; nothing else has a middle.
 */
export type Weather = <T>(call: MemoryCall, perform: (extent?: 'halfway') => T) => Promise<T>;

/** Where to fail: at the `operation`-th call from now on (1 is the next) of that name and kind. Happens once. */
export type Interruption = {
  operation: number;
  /** Default: `execute`. */
  name?: MemoryCall['name'];
  /** Of an execution; default: any. */
  kind?: MemoryOperation['kind'];
  /** `halfway` leaves a container that was created and never started; for other operations it is `before`. */
  when: 'before' | 'halfway' | 'after';
  /** Default: an Error, as when the process dies. */
  error?: Error;
};

/** Fair, but for what it is told to interrupt. */
export function changeableWeather(): { weather: Weather; interrupt: (interruption: Interruption) => void } {
  const interruptions: Interruption[] = [];

  /** Counts down the interruptions, and answers the one whose turn it is. */
  function next({ name, operation }: MemoryCall): Interruption | undefined {
    const concerned = interruptions.filter(
      (each) => (each.name ?? 'execute') === name && (each.kind === undefined || each.kind === operation?.kind),
    );
    for (const interruption of concerned) interruption.operation--;
    const due = concerned.find((interruption) => interruption.operation <= 0);
    if (due) interruptions.splice(interruptions.indexOf(due), 1);
    return due;
  }

  return {
    interrupt: (interruption) => void interruptions.push({ ...interruption }),
    async weather(call, perform) {
      const interruption = next(call);
      if (!interruption) return perform();
      const { when, error = new Error(`interrupted ${when} ${call.operation?.kind ?? call.name}`) } = interruption;
      const hasMiddle = call.operation?.kind === 'start';
      if (when === 'after') await perform();
      if (when === 'halfway' && hasMiddle) await perform('halfway');
      throw error;
    },
  };
}
