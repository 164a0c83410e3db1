/** The dependencies of snapshots; wired in `work.ts`. */
import type { Kysely } from 'kysely';
import { BackupFault } from '../backup/backup-fault.ts';
import type { Repository } from '../backup/restic.ts';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import type { SnapshotTerms } from '../deployment/snapshot/snapshot.ts';
import { type Engine, EngineFault } from '../engine/engine.ts';
import type { Exec } from '../engine/exec.ts';
import type { VolumeCopies } from '../engine/volume-facets.ts';
import type { Metrics } from '../lib/metrics.ts';
import { heldCopies } from '../store/copy-holds.ts';
import { openRestores } from '../store/restores.ts';
import type { Tables } from '../store/rows.ts';
import type { StartedPod } from './dumps/save-first.ts';

/** `accountId`: the account whose snapshots count together. Undefined without an account. */
export type DeploymentTerms = SnapshotTerms & { accountId: string | undefined };

export type SnapshotParts = {
  db: Kysely<Tables>;
  engine: Pick<Engine, 'observe'> & { copies: VolumeCopies; exec?: Exec | undefined };
  /** Returns the repository of a deployment. Repositories share nothing. */
  repository: (deploymentId: string) => Promise<Repository>;
  termsOf: (deployment: Deployment) => Promise<DeploymentTerms>;
  /** Returns undefined if the revision was deleted. */
  startedPod: (deploymentId: string, revision: number, pod: string) => Promise<StartedPod | undefined>;
  /** Disk space that copies must leave free. */
  diskFreeBytes: number;
  /** Wakes the loop for the deployment. */
  wake: (deploymentId: string) => void;
  /** Notifies the owner of repeated failures. Absent if notifications are not possible. */
  mailOwner?: (deployment: Deployment, mail: { subject: string; text: string }) => Promise<void>;
  metrics: Pick<Metrics, 'snapshots' | 'oldestSnapshot'>;
  /** Work aborted by this signal has not failed: the next holder of the duty does it. */
  stop: AbortSignal;
  now: () => Instant;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

type Clearing = { engine: Pick<SnapshotParts['engine'], 'copies'>; log: SnapshotParts['log'] };

/**
 * Only the holder of the duty takes or restores snapshots. A copy that no restore needs and that is not held was
 * therefore left by a killed process.
 */
export async function clearCopies(parts: Clearing & Pick<SnapshotParts, 'db' | 'now'>): Promise<void> {
  // Read the rows after the copies, because a row exists before its copy is made.
  const there = await parts.engine.copies.list();
  if (there.length === 0) return;
  const needed = new Set((await openRestores(parts.db)).map(({ filledKey }) => filledKey));
  const held = await heldCopies(parts.db, parts.now());
  for (const key of there) if (!needed.has(key) && !held.has(key)) await clearUnlessBusy(key, parts);
}

/** A copy stays while a program of a killed process uses it. Others do not wait for it. */
export async function clearUnlessBusy(key: string, { engine, log }: Clearing) {
  await engine.copies.clear(key).catch((err: unknown) => log.error({ err, key }, 'a copy cannot be removed yet'));
}

/**
 * The message is for the owner of the deployment. `isFinal`: another attempt would fail in the same way. `said`: output
 * of the deployment's program, which is only for its owner and not in a log.
 */
export class SnapshotFault extends Error {
  readonly isFinal: boolean;
  readonly #said: string;

  constructor(
    message: string,
    { isFinal = false, said = '', ...options }: ErrorOptions & { isFinal?: boolean; said?: string } = {},
  ) {
    super(message, options);
    this.name = 'SnapshotFault';
    this.isFinal = isFinal;
    this.#said = said
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim();
  }

  /** The same fault after the last attempt. */
  asFinal(): SnapshotFault {
    return new SnapshotFault(this.message, { isFinal: true, said: this.#said, cause: this.cause });
  }

  get ownersWords(): string {
    return this.#said === '' ? this.message : `${this.message} It said: ${this.#said}`;
  }
}

/** Messages of a location contain host paths and are only for the operator's log. */
export function messageOf(error: unknown): string {
  if (error instanceof SnapshotFault || error instanceof EngineFault) return error.message;
  if (!(error instanceof BackupFault)) return 'Something went wrong at the service; the operator finds it in its log.';
  return error.isFull
    ? 'The place where snapshots are kept has no room for it now; the operator has to look at it.'
    : 'The place where snapshots are kept cannot be used now; the operator has to look at it.';
}
