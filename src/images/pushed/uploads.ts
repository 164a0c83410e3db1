/**
 * Uploads of blobs by users, in pieces over several connections, possibly over hours. The file contains the whole state
 * of an upload, so it survives a restart of the service. Abandoned uploads are removed.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Payer } from '../../store/image-namespaces.ts';
import type { BlobFolder } from '../blobs/blob-folder.ts';
import { resumeStaged, type StagedFile, stageFile } from '../blobs/staged-file.ts';
import { namespaceIn } from './repository-names.ts';

export type Uploads = {
  /**
   * Returns the ID of a new upload, valid in its repository only. Undefined if too many are open: of the namespace, of
   * the payer, or of all. If all slots are taken, it replaces an empty upload of the client with the most. `payer`: the
   * owner of the quota.
   */
  begin(repository: string, payer: Payer): Promise<string | undefined>;
  /**
   * Runs `work` with exclusive access to an upload. `unknown`: the repository has no such upload. `busy`: another
   * request is writing to it.
   */
  use<T>(
    upload: { repository: string; id: string; payer: Payer },
    work: (staged: StagedFile, reserved: Reserved) => Promise<T>,
  ): Promise<T | 'unknown' | 'busy'>;
  /** Bytes of uploads in progress, with reservations, for one payer or for all. */
  bytes(payer?: Payer): number;
  /** Removes a committed or discarded upload. */
  end(repository: string, id: string): void;
  /** Ends empty uploads after a minute, and other uploads an hour after their last request. */
  clear(): Promise<void>;
};

/** The bytes that may still be written. An ended request has none. */
export type Reserved = { bytes: number };

/**
 * The maximum number of open uploads. A client has five in progress for each image that it pushes. A client address can
 * have any number of sessions, and a stranger many addresses, so half of all slots are for accounts.
 */
const usual = { ofNamespace: 50, ofAccount: 100, ofClient: 50, ofClients: 1_000, inAll: 2_000 };
/** Clients send the first bytes immediately. Restarting an empty upload costs nothing. */
const emptyMs = 60_000;
/** A client that was cut off comes back within minutes. */
const patienceMs = 60 * 60_000;
const idGrammar = /^[0-9a-f]{32}$/;

type Open = {
  repository: string;
  payer: Payer;
  staged: StagedFile;
  reserved: Reserved;
  isBusy: boolean;
  usedAt: number;
};

/** `folder`: where uploads are staged. `now`: of the clock that dates files. */
export function createUploads(folder: BlobFolder, now: () => number, most = usual): Uploads {
  const open = new Map<string, Open>();
  const beginning = new Set<Pick<Open, 'repository' | 'payer'>>();

  async function find(repository: string, id: string, payer: Payer): Promise<Open | undefined> {
    if (!idGrammar.test(id)) return undefined;
    const name = fileName(repository, id);
    if (open.has(name)) return open.get(name);
    const staged = await resumeStaged(folder.stagingPath(name));
    // Two requests may have read it at once. The first one counts.
    if (staged && !open.has(name)) open.set(name, opened({ repository, payer, staged }));
    return open.get(name);
  }

  const opened = (upload: Pick<Open, 'repository' | 'payer' | 'staged'>): Open => {
    return { ...upload, reserved: { bytes: 0 }, isBusy: false, usedAt: now() };
  };

  /** `full`: the payer has too many uploads. `crowded`: the uploads of others take all slots. */
  function placeFor({ repository, payer }: Pick<Open, 'repository' | 'payer'>): 'free' | 'full' | 'crowded' {
    const namespace = namespaceIn(repository);
    const all = [...open.values(), ...beginning];
    const countOf = (isCounted: (upload: (typeof all)[number]) => boolean) => all.filter(isCounted).length;
    if (countOf((upload) => namespaceIn(upload.repository) === namespace) >= most.ofNamespace) return 'full';
    const ofPayer = countOf((upload) => isSame(upload.payer, payer));
    if (ofPayer >= (payer.kind === 'account' ? most.ofAccount : most.ofClient)) return 'full';
    if (all.length >= most.inAll) return 'crowded';
    const isCrowded = payer.kind === 'client' && countOf((upload) => upload.payer.kind === 'client') >= most.ofClients;
    return isCrowded ? 'crowded' : 'free';
  }

  /** Takes the oldest empty upload from the client with the most uploads, if `payer` has at least two fewer. */
  function takeEmptyOfLargest(payer: Payer): Open | undefined {
    const counts = new Map<string, number>();
    for (const { payer } of [...open.values(), ...beginning])
      if (payer.kind === 'client') counts.set(payer.client, (counts.get(payer.client) ?? 0) + 1);
    let count = 1 + (payer.kind === 'client' ? (counts.get(payer.client) ?? 0) : 0);
    let largest: string | undefined;
    for (const [name, { payer, isBusy, staged }] of open) {
      if (payer.kind !== 'client' || isBusy || staged.sizeBytes > 0 || counts.get(payer.client)! <= count) continue;
      count = counts.get(payer.client)!;
      largest = name;
    }
    if (largest === undefined) return undefined;
    const taken = open.get(largest);
    open.delete(largest);
    return taken;
  }

  async function endUnused(): Promise<void> {
    for (const [name, { isBusy, usedAt, staged }] of open) {
      const endsAt = usedAt + (staged.sizeBytes === 0 ? emptyMs : patienceMs);
      if (isBusy || endsAt > now()) continue;
      open.delete(name);
      await staged.discard();
    }
  }

  return {
    async begin(repository, payer) {
      const upload = { repository, payer };
      await endUnused();
      const place = placeFor(upload);
      const replaced = place === 'crowded' ? takeEmptyOfLargest(payer) : undefined;
      if (place === 'full' || (place === 'crowded' && !replaced)) return undefined;
      beginning.add(upload);
      try {
        await replaced?.staged.discard();
        const id = randomBytes(16).toString('hex');
        const name = fileName(repository, id);
        const staged = await stageFile(folder.stagingPath(name));
        await staged.suspend();
        open.set(name, opened({ ...upload, staged }));
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
      upload.payer = payer;
      try {
        return await work(upload.staged, upload.reserved);
      } finally {
        upload.reserved.bytes = 0;
        await upload.staged.suspend();
        upload.isBusy = false;
        upload.usedAt = now();
      }
    },
    bytes(payer) {
      let sum = 0;
      for (const upload of open.values())
        if (!payer || isSame(upload.payer, payer)) sum += upload.staged.sizeBytes + upload.reserved.bytes;
      return sum;
    },
    end(repository, id) {
      open.delete(fileName(repository, id));
    },
    async clear() {
      await endUnused();
      await folder.clearStaged(now() - patienceMs, (name) => open.has(name));
    },
  };
}

function isSame(one: Payer, other: Payer): boolean {
  return one.kind === 'account'
    ? other.kind === 'account' && one.accountId === other.accountId
    : other.kind === 'client' && one.client === other.client;
}

/** Contains the repository, so that an ID is not valid in another one. */
function fileName(repository: string, id: string): string {
  return `${id}-${createHash('sha256').update(repository).digest('hex').slice(0, 16)}`;
}
