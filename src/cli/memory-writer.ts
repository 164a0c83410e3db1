/** Writes a folder's memory, possibly concurrently with other commands. */
import { keepEarlier, type Memory, recallSealed, remember } from './folder.ts';
import type { Seal } from './memory-seal.ts';
import { inTurn } from './memory-turn.ts';

export type MemoryWriter = {
  remember(memory: Memory): Promise<void>;
  /** @returns the file. */
  keepEarlier(memory: Memory): Promise<string>;
};

/**
 * Two commands that start a deployment in one folder at once each get a token, and the folder remembers one of them.
 * The other is stored too, because it is the only key to its deployment. @param onStored called with the stored memory and
 * its file.
 */
export async function openMemoryWriter(
  folder: string,
  seal: Seal | undefined,
  onStored: (kept: Memory, file: string) => void,
): Promise<MemoryWriter> {
  const { memory: first } = await recallSealed(folder, seal);
  // A start as an account has no token that could be lost.
  const known = new Set([first.sessionToken, undefined]);
  return {
    async remember(memory) {
      known.add(memory.sessionToken);
      await inTurn(folder, async () => {
        const { memory: present } = await recallSealed(folder, seal);
        if (!known.has(present.sessionToken)) onStored(present, await keepEarlier(folder, present));
        await remember(folder, memory, seal);
      });
    },
    keepEarlier: (memory) => inTurn(folder, () => keepEarlier(folder, memory)),
  };
}
