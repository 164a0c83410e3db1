/**
 * Hears from the kernel that somebody has changed a table. To list one takes a program each time; to listen takes one
 * that sleeps until something happens.
 */
import { createInterface } from 'node:readline';
import { isRoot, startToListen } from './nft.ts';

/** A listener that has ended is started anew after this. */
const pauseMs = 10_000;

export type TableWatch = Disposable & {
  /** Whether the table may be another than at the last call: when somebody has changed it, and whenever nobody can tell. */
  mayHaveChanged(): boolean;
};

/** Until it has heard something once, and while its listener is gone, it cannot tell. */
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

/** PURE. Whether a line of `nft monitor` tells of this table, or that something was lost. */
export function concerns(line: string, table: string): boolean {
  return line.startsWith('# ERROR') || `${line} `.includes(` inet ${table} `);
}
