/** The saved session that may decide where data is sent: one that this user's CLI wrote, or that the user confirmed. */
import { printable } from '../lib/printable.ts';
import { readSession, type SavedSession, sessionFile } from './saved-session.ts';
import type { Seal } from './session-seal.ts';
import type { Terminal } from './terminal.ts';

type TrustOptions = {
  seal: Seal | undefined;
  /** Whether the caller named the service. */
  isServerNamed: boolean;
  terminal: Pick<Terminal, 'printNote'>;
  /** Undefined without a terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  saveSession(saved: SavedSession): Promise<void>;
};

/** Returns the session, or a text that says why it cannot be used. */
export async function trustedSession(
  folder: string,
  { seal, isServerNamed, terminal, confirm, saveSession }: TrustOptions,
): Promise<SavedSession | string> {
  const { saved, isOwn } = await readSession(folder, seal);
  if (isOwn || saved.server === undefined) return isOwn ? saved : {};
  const file = printable(sessionFile(folder));
  // The user has chosen the service, but the session in the file still belongs to its author.
  if (isServerNamed) {
    terminal.printNote(`${file} was not written by your berth, and is ignored.`);
    return {};
  }
  const found = `${file} names the service ${printable(saved.server)}, and was not written by your berth: it may have come with the folder.`;
  const isMeant = await confirm(`${found} Use it?`);
  if (isMeant === undefined) return `${found} Name the service with --server or BERTH_SERVER, or remove the file.`;
  if (!isMeant) return {};
  await saveSession(saved);
  return saved;
}
