/**
 * Notices changes of a table through the kernel. Listing a table starts a program each time; listening needs one
 * program that sleeps until a change.
 */
import { createInterface } from 'node:readline';
import { isRoot, startToListen } from './nft.ts';

/** A listener that ended is restarted after this pause. */
const pauseMs = 10_000;

export type TableWatch = Disposable & {
  /** Whether the table may have changed since the last call: after a change, and when that is unknown. */
  mayHaveChanged(): boolean;
};

/** Before its first message, and while its listener is down, this is unknown. */
export function watchTable(table: string): TableWatch {
  // A listener that sudo has started could not be ended, and would outlive this process where that is killed.
  if (!isRoot()) return { mayHaveChanged: () => true, [Symbol.dispose]() {} };
  let isHeard = false;
  let hasChanged = true;
  let isClosed = false;
  let restart: NodeJS.Timeout | undefined;
  let listener = listen();

  function listen() {
    // The kernel ends it with this process, however that ends.
    const child = startToListen(['setpriv', '--pdeathsig', 'KILL', 'nft', 'monitor']);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!concerns(line, table)) return;
      isHeard = true;
      hasChanged = true;
    });
    child.once('error', () => {}).once('close', listenAgain);
    return child;
  }

  function listenAgain(): void {
    isHeard = false;
    if (isClosed) return;
    restart = setTimeout(() => {
      listener = listen();
    }, pauseMs).unref();
  }

  return {
    mayHaveChanged() {
      const may = hasChanged || !isHeard;
      hasChanged = false;
      return may;
    },
    [Symbol.dispose]() {
      isClosed = true;
      clearTimeout(restart);
      listener.kill('SIGKILL');
    },
  };
}

/** PURE. Whether a line of `nft monitor` is about this table, or reports lost messages. */
export function concerns(line: string, table: string): boolean {
  return line.startsWith('# ERROR') || `${line} `.includes(` inet ${table} `);
}
