/** A folder's memory, as far as it may decide where something is sent: one's own, or one that somebody has been asked about. */
import { printable } from '../lib/printable.ts';
import { type Memory, memoryFile, recallSealed } from './folder.ts';
import type { Seal } from './memory-seal.ts';
import type { Terminal } from './terminal.ts';

type Trusting = {
  seal: Seal | undefined;
  /** Whether the caller says which service is asked. */
  isServerNamed: boolean;
  terminal: Pick<Terminal, 'note'>;
  /** Undefined where nobody can be asked. */
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
  // Who names the service has chosen it; the session that the file names is somebody else's all the same.
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
