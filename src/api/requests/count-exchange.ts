/**
 * What clients have asked of one process, told to the others that serve the same installation, so that a limit is one for
 * all of them. Each counts at once what it is asked itself, and what the others were asked within a tenth of a second.
 */

/** As long as this, a client that turns to another process has its whole allowance there. */
const tellEveryMs = 100;
/** A flood of addresses may go untold beyond it: each process has its own limits still. */
const mostPending = 5_000;

export type CountExchange = {
  /** This process has counted so much for the key of a limit. */
  note(limit: string, key: string, amount: number): void;
  /** Takes what another process has told. */
  hear(text: string): void;
  /** Who counts what others tell. */
  onHeard(count: (limit: string, key: string, amount: number) => void): void;
};

type Entry = [limit: string, key: string, amount: number];

/** `tell`: to all others, texts of at most `longest` bytes; what is lost they do not count. */
export function createCountExchange(tell: (text: string) => Promise<void>, longest: number): CountExchange {
  const pending = new Map<string, Entry>();
  let count: Parameters<CountExchange['onHeard']>[0] = () => {};

  async function flush(): Promise<void> {
    const entries = [...pending.values()];
    pending.clear();
    for (const text of textsOf(entries, longest)) await tell(text).catch(() => {});
  }

  return {
    note(limit, key, amount) {
      const name = `${limit} ${key}`;
      const [, , before = 0] = pending.get(name) ?? [];
      if (before === 0 && pending.size >= mostPending) return;
      pending.set(name, [limit, key, before + amount]);
      if (before === 0 && pending.size === 1) setTimeout(flush, tellEveryMs).unref();
    },
    hear(text) {
      for (const [limit, key, amount] of JSON.parse(text) as Entry[]) count(limit, key, amount);
    },
    onHeard(listener) {
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
