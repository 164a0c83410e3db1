/**
 * The part of a folder's memory that may decide where data is sent: the user's own memory, or one that the user has
 * confirmed.
 */
import { printable } from '../lib/printable.ts';
import { type Memory, memoryFile, recallSealed } from './folder.ts';
import type { Seal } from './memory-seal.ts';
import type { Terminal } from './terminal.ts';

type Trusting = {
  seal: Seal | undefined;
  /** Whether the caller named the service. */
  isServerNamed: boolean;
  terminal: Pick<Terminal, 'note'>;
  /** Undefined without a terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  remember(memory: Memory): Promise<void>;
};

/** A text says why it cannot be used. */
export async function trustedMemory(
  folder: string,
  { seal, isServerNamed, terminal, confirm, remember }: Trusting,
): Promise<Memory | string> {
  const { memory, isOwn } = await recallSealed(folder, seal);
  if (isOwn || memory.server === undefined) return isOwn ? memory : {};
  const file = printable(memoryFile(folder));
  // The user has chosen the service, but the session in the file still belongs to its author.
  if (isServerNamed) {
    terminal.note(`${file} was not written by your berth, and is ignored.`);
    return {};
  }
  const found = `${file} names the service ${printable(memory.server)}, and was not written by your berth: it may have come with the folder.`;
  const isMeant = await confirm(`${found} Use it?`);
  if (isMeant === undefined) return `${found} Name the service with --server or BERTH_SERVER, or remove the file.`;
  if (!isMeant) return {};
  await remember(memory);
  return memory;
}
