/**
 * Blobs on their way from users: in pieces, over several connections, perhaps with hours in between. All that is known
 * of an upload is its file, so that one survives a restart of the service; what nobody goes on with is cleared.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { BlobFolder } from '../blobs/blob-folder.ts';
import { resumeStaged, type StagedFile, stageFile } from '../blobs/staged-file.ts';
import { namespaceIn } from './repository-names.ts';

export type Uploads = {
  /**
   * The id of a new one; it is known in its repository alone. Undefined when too many are open: of the namespace, of the
   * payer, or of all. `payer`: whom its bytes count to.
   */
  begin(repository: string, payer: string): Promise<string | undefined>;
  /**
   * Has `work` done with an upload, of which it is the only user meanwhile. `unknown`: the repository has no such upload;
   * `busy`: somebody else is writing to it.
   */
  use<T>(
    upload: { repository: string; id: string; payer: string },
    work: (staged: StagedFile) => Promise<T>,
  ): Promise<T | 'unknown' | 'busy'>;
  /** What is under way for a payer, or for all. */
  bytes(payer?: string): number;
  /** Forgets one that was kept or discarded. */
  end(repository: string, id: string): void;
  /** Clears those that nobody has gone on with for an hour. */
  clear(): Promise<void>;
};

/**
 * How many may be open. A client has five under way for each image that it pushes; an address may have as many sessions
 * as it likes; each upload is a file and some memory.
 */
const usual = { ofNamespace: 50, ofPayer: 100, inAll: 2_000 };
/** A client that was cut off comes back within minutes. */
const patienceMs = 60 * 60_000;
const idGrammar = /^[0-9a-f]{32}$/;

type Open = { repository: string; payer: string; staged: StagedFile; isBusy: boolean; usedAt: number };

/** `folder`: where uploads are staged. `now`: of the clock that dates files. */
export function createUploads(folder: BlobFolder, now: () => number, most = usual): Uploads {
  const open = new Map<string, Open>();
  const beginning = new Set<Pick<Open, 'repository' | 'payer'>>();

  async function find(repository: string, id: string, payer: string): Promise<Open | undefined> {
    if (!idGrammar.test(id)) return undefined;
    const name = fileName(repository, id);
    if (open.has(name)) return open.get(name);
    const staged = await resumeStaged(folder.stagingPath(name));
    // Two may have read it at once; the first one counts.
    if (staged && !open.has(name)) open.set(name, { repository, payer, staged, isBusy: false, usedAt: now() });
    return open.get(name);
  }

  function mayBegin({ repository, payer }: Pick<Open, 'repository' | 'payer'>): boolean {
    const namespace = namespaceIn(repository);
    const all = [...open.values(), ...beginning];
    const ofNamespace = all.filter((upload) => namespaceIn(upload.repository) === namespace);
    const ofPayer = all.filter((upload) => upload.payer === payer);
    return all.length < most.inAll && ofPayer.length < most.ofPayer && ofNamespace.length < most.ofNamespace;
  }

  return {
    async begin(repository, payer) {
      const upload = { repository, payer };
      if (!mayBegin(upload)) return undefined;
      beginning.add(upload);
      try {
        const id = randomBytes(16).toString('hex');
        const name = fileName(repository, id);
        const staged = await stageFile(folder.stagingPath(name));
        await staged.rest();
        open.set(name, { ...upload, staged, isBusy: false, usedAt: now() });
        return id;
      } finally {
        beginning.delete(upload);
      }
    },
    async use({ repository, id, payer }, work) {
      const upload = await find(repository, id, payer);
      if (!upload) return 'unknown';
      if (upload.isBusy) return 'busy';
      upload.isBusy = true;
      try {
        return await work(upload.staged);
      } finally {
        await upload.staged.rest();
        upload.isBusy = false;
        upload.usedAt = now();
      }
    },
    bytes(payer) {
      let sum = 0;
      for (const upload of open.values())
        if (payer === undefined || upload.payer === payer) sum += upload.staged.sizeBytes;
      return sum;
    },
    end(repository, id) {
      open.delete(fileName(repository, id));
    },
    async clear() {
      const before = now() - patienceMs;
      for (const [name, { isBusy, usedAt, staged }] of open) {
        if (isBusy || usedAt >= before) continue;
        open.delete(name);
        await staged.discard();
      }
      await folder.clearStaged(before, (name) => open.has(name));
    },
  };
}

/** The repository is a part of it: an id says nothing in another one. */
function fileName(repository: string, id: string): string {
  return `${id}-${createHash('sha256').update(repository).digest('hex').slice(0, 16)}`;
}
