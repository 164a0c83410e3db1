/** One deployment as the operator needs to see it when something is wrong with it. No secrets: its document is sealed. */
import type { Kysely } from 'kysely';
import type { PodStatus } from '../deployment/deployment.ts';
import type { Tables } from '../store/database.ts';
import { deploymentById, deploymentByLabel } from '../store/deployments.ts';
import { eventsAfter, type RecordedEvent } from '../store/events.ts';
import { suspect } from '../store/origins.ts';

/** The last ones; all of them are what its owner reads. */
const eventsShown = 20;
const eventsRead = 100_000;

export type Inspection = {
  id: string;
  applicationName: string;
  /** The first part of its host. */
  label: string;
  state: string;
  message: string;
  revision: number;
  images: string[];
  pods: PodStatus[];
  /** Whose it is, and the address that started it, where they are known. */
  email?: string;
  address?: string;
  createdAt: string;
  expiresAt?: string;
  events: RecordedEvent[];
};

/** `which`: an id, or the first part of its host. Undefined where there is none. */
export async function inspect(db: Kysely<Tables>, which: string): Promise<Inspection | undefined> {
  const deployment = (await deploymentById(db, which)) ?? (await deploymentByLabel(db, which));
  if (!deployment) return undefined;
  const { id, applicationName, label, state, message, revision, pods, createdAt, expiresAt } = deployment;
  const { images, email, address } = await suspect(db, id);
  const events = await eventsAfter(db, id, 0, eventsRead);
  return {
    ...{ id, applicationName, label, state, message, revision, images, pods },
    ...(email !== null && { email }),
    ...(address !== null && { address }),
    createdAt: new Date(createdAt).toISOString(),
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
    events: events.slice(-eventsShown),
  };
}
