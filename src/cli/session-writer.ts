/** Writes a folder's saved session, possibly concurrently with other commands. */

import { withFolderLock } from './folder-lock.ts';
import { readSession, type SavedSession, saveEarlierSession, saveSession } from './saved-session.ts';
import type { Seal } from './session-seal.ts';

export type SessionWriter = {
  saveSession(saved: SavedSession): Promise<void>;
  /** @returns the path of the file. */
  saveEarlierSession(saved: SavedSession): Promise<string>;
};

/**
 * Two commands that start a deployment in one folder at the same time each get a token. The folder's session is one of
 * them. The other is added to the earlier sessions, because it is the only key to its deployment.
 * @param onStored called with the earlier session and the path of its file.
 */
export async function openSessionWriter(
  folder: string,
  seal: Seal | undefined,
  onStored: (kept: SavedSession, file: string) => void,
): Promise<SessionWriter> {
  const { saved: initial } = await readSession(folder, seal);
  // A start as an account has no token that could be lost.
  const known = new Set([initial.sessionToken, undefined]);
  return {
    async saveSession(saved) {
      known.add(saved.sessionToken);
      await withFolderLock(folder, async () => {
        const { saved: present } = await readSession(folder, seal);
        if (!known.has(present.sessionToken)) onStored(present, await saveEarlierSession(folder, present));
        await saveSession(folder, saved, seal);
      });
    },
    saveEarlierSession: (saved) => withFolderLock(folder, () => saveEarlierSession(folder, saved)),
  };
}
