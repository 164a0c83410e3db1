/** Deployments as the operator sees them. */
import type { Kysely } from 'kysely';
import type { SleepStage } from '../deployment/sleep.ts';
import { presentDeployments } from '../store/deployments.ts';
import type { Tables } from '../store/rows.ts';

export type DeploymentLine = {
  id: string;
  applicationName: string;
  environment: string;
  state: string;
  /** The owner's address; absent without an account. */
  email?: string;
  createdAt: string;
  /** Absent when it does not expire. */
  expiresAt?: string;
  isHeld: boolean;
  /** Present if it sleeps. */
  sleep?: SleepStage;
};

/** Deployments that may have objects on the engine, oldest first. */
export async function listDeployments(db: Kysely<Tables>): Promise<DeploymentLine[]> {
  const rows = await presentDeployments(db);
  return rows.map(({ email, createdAt, expiresAt, heldAt, sleep, ...row }) => ({
    ...row,
    ...(email !== null && { email }),
    createdAt: new Date(createdAt).toISOString(),
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
    isHeld: heldAt !== null,
    ...(sleep !== null && { sleep }),
  }));
}
