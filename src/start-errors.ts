/** Translates faults of a start that the operator must fix into messages: a full disk, a damaged database. */
import { StartError } from './lib/start-error.ts';
import { describeCorruption, isCorruption } from './store/dialect/sqlite-corruption.ts';
import { databaseFile } from './store/open.ts';
import { StoreFault } from './store/store-fault.ts';

/** Runs a start; such a fault becomes a StartError that names the path. */
export async function withStartErrors<T>(dataDir: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    // Later errors while closing are not reported.
    const cause: unknown = error instanceof SuppressedError ? error.suppressed : error;
    if (cause instanceof StartError) throw cause;
    const words = messageOf(cause, dataDir);
    throw words === undefined ? error : new StartError(words, { cause });
  }
}

function messageOf(error: unknown, dataDir: string): string | undefined {
  const { code, path = dataDir, message } = error as NodeJS.ErrnoException;
  if (isCorruption(error)) return describeCorruption(databaseFile({ dataDir }), message);
  const isStore = error instanceof StoreFault && error.isFull;
  if (!isStore && code !== 'ENOSPC') return undefined;
  const place = !isStore ? path : code === 'SQLITE_FULL' ? databaseFile({ dataDir }) : 'PostgreSQL';
  return `The disk of ${place} is full. Free some space there, then start again. No data was lost.`;
}
