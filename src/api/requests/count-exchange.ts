/**
 * Exchanges request counts between the processes of an installation, so that all of them share one limit. Each process
 * counts its own requests at once, and those of other processes within a tenth of a second. Open streams are reported
 * repeatedly. Reports of a silent process expire.
 */
import { newId } from '../../lib/ids.ts';

/** During this time, a client that switches to another process has its full allowance there. */
const sendEveryMs = 100;
const sendOpenEveryMs = 2_000;
/** Two tellings may be lost. */
const openIsKnownMs = 3 * sendOpenEveryMs;
/** In a flood of addresses, counts beyond this number are not sent. Each process still applies its own limits. */
const maxPending = 5_000;

export type CountExchange = {
  /** Adds an amount that this process has counted for the key of a limit. */
  add(limit: string, key: string, amount: number): void;
  /** Sets the number of open streams that this process has for the key. */
  setOpen(key: string, count: number): void;
  /** Returns the number that other processes have reported as open for the key. */
  openElsewhere(key: string): number;
  /** Handles a report of another process. */
  receive(text: string): void;
  /** Sets the counter for reports of others. */
  onCounts(count: (limit: string, key: string, amount: number) => void): void;
};

/** With `teller`, the amount is the number of connections that this process has open. */
type Entry = [limit: string, key: string, amount: number, teller?: string];
type ReportedCount = { count: number; at: number };

/**
 * `tell`: sends texts of at most `longest` bytes to all others. Lost texts are not counted there. `now`: milliseconds
 * of a monotonic clock.
 */
export function createCountExchange(
  sendCounts: (text: string) => Promise<void>,
  longest: number,
  now: () => number = () => performance.now(),
): CountExchange {
  const self = newId();
  const pending = new Map<string, Entry>();
  /** Open requests of this process, by key. */
  const open = new Map<string, number>();
  /** Open requests of other processes, by key and process. */
  const elsewhere = new Map<string, Map<string, ReportedCount>>();
  let count: Parameters<CountExchange['onCounts']>[0] = () => {};
  let repeating: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    const entries = [...pending.values()];
    pending.clear();
    for (const text of textsOf(entries, longest)) await sendCounts(text).catch(() => {});
  }

  function tellSoon(name: string, entry: Entry): void {
    if (!pending.has(name) && pending.size >= maxPending) return;
    if (pending.size === 0) setTimeout(flush, sendEveryMs).unref();
    pending.set(name, entry);
  }

  const tellOpen = (key: string, count: number) => tellSoon(`open ${key}`, ['open', key, count, self]);

  function repeat(): void {
    for (const [key, count] of open) tellOpen(key, count);
    for (const [key, counts] of elsewhere) if (sumOf(counts) === 0) elsewhere.delete(key);
    if (open.size + elsewhere.size > 0) return;
    clearInterval(repeating);
    repeating = undefined;
  }

  function repeatFromNowOn(): void {
    repeating ??= setInterval(repeat, sendOpenEveryMs).unref();
  }

  function receiveOpen(key: string, count: number, teller: string): void {
    const counts = elsewhere.get(key) ?? new Map<string, ReportedCount>();
    elsewhere.set(key, counts.set(teller, { count, at: now() }));
    repeatFromNowOn();
  }

  function sumOf(counts: Map<string, ReportedCount>): number {
    const known = [...counts.values()].filter(({ at }) => now() - at < openIsKnownMs);
    return known.reduce((sum, { count }) => sum + count, 0);
  }

  return {
    add(limit, key, amount) {
      const name = `${limit} ${key}`;
      const [, , before = 0] = pending.get(name) ?? [];
      tellSoon(name, [limit, key, before + amount]);
    },
    setOpen(key, count) {
      if (count > 0) open.set(key, count);
      else open.delete(key);
      tellOpen(key, count);
      repeatFromNowOn();
    },
    openElsewhere: (key) => sumOf(elsewhere.get(key) ?? new Map()),
    receive(text) {
      for (const [limit, key, amount, teller] of JSON.parse(text) as Entry[])
        if (teller === undefined) count(limit, key, amount);
        else receiveOpen(key, amount, teller);
    },
    onCounts(listener) {
      count = listener;
    },
  };
}

function* textsOf(entries: readonly Entry[], longest: number): Generator<string> {
  let texts: string[] = [];
  let bytes = 2;
  for (const text of entries.map((entry) => JSON.stringify(entry))) {
    if (bytes + text.length + 1 > longest) {
      yield `[${texts}]`;
      texts = [];
      bytes = 2;
    }
    texts.push(text);
    bytes += text.length + 1;
  }
  if (texts.length > 0) yield `[${texts}]`;
}
