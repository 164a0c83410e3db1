/** PURE. A command's messages about database errors. */
import { StartError } from '../lib/start-error.ts';
import { describeCorruption, isCorruption } from '../store/dialect/sqlite-corruption.ts';
import { StoreFault } from '../store/store-fault.ts';

/**
 * Result codes of SQLite; https://www.sqlite.org/rescode.html. The lowest byte is the kind of the error. The other
 * bytes give details.
 */
const [busy, locked, readOnly, cannotOpen] = [5, 6, 8, 14];

/**
 * The name for the last step of a command with several steps. Earlier steps stay, and the next call continues after
 * them.
 */
const lastStep = 'The last step';

/**
 * A sentence, or undefined if the error does not come from the database and is a fault of the command. `where`: the
 * name for people.
 */
export function storeProblem(error: unknown, where: string): string | undefined {
  if (error instanceof StartError) return error.message;
  if (error instanceof StoreFault) {
    const isDoubtful = error.wasDone === 'unknown';
    const advice = isDoubtful
      ? `${lastStep} may have been done: look before you try again.`
      : `${lastStep} was not done: try again.`;
    return `The database in ${where} could not be queried: ${error.message}. ${advice}`;
  }
  const { errcode, message } = error as { errcode?: unknown; message?: unknown };
  if (typeof errcode !== 'number') return undefined;
  if (isCorruption(error)) return describeCorruption(where, String(message));
  const kind = errcode & 0xff;
  if (kind === busy || kind === locked)
    return `The database in ${where} is busy: another program writes to it. ${lastStep} was not done: try again.`;
  if (kind === readOnly || kind === cannotOpen)
    return `The database in ${where} is not writable for this user: run this as the user of the service.`;
  return `The database in ${where} could not be queried: ${String(message)}.`;
}
