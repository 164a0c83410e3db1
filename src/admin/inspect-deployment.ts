/**
 * One deployment with the details that an operator needs to find a problem. It contains no secrets, because the
 * document is sealed.
 */
import type { Kysely } from 'kysely';
import { describeEvent } from '../deployment/event/event-text.ts';
import { type ShownPod, statusAt } from '../deployment/status/deployment-health.ts';
import { deploymentById, deploymentByLabel } from '../store/deployments.ts';
import { latestEvents, type RecordedEvent } from '../store/events.ts';
import { suspect } from '../store/origins.ts';
import type { Tables } from '../store/rows.ts';

/** The last events. The owner can read all of them. */
const eventsShown = 20;

export type Inspection = {
  id: string;
  applicationName: string;
  /** The first part of its host. */
  label: string;
  /** Its health, in one word. */
  state: string;
  message: string;
  revision: number;
  images: string[];
  pods: ShownPod[];
  /** The owner's address, and the IP address that started it, if known. */
  email?: string;
  address?: string;
  createdAt: string;
  expiresAt?: string;
  events: (RecordedEvent & { message: string })[];
};

/** `which`: an id, or the first part of its host. Undefined if it does not exist. */
export async function inspect(db: Kysely<Tables>, which: string): Promise<Inspection | undefined> {
  const deployment = (await deploymentById(db, which)) ?? (await deploymentByLabel(db, which));
  if (!deployment) return undefined;
  const { id, applicationName, label, revision, createdAt, expiresAt } = deployment;
  const { health: state, message, pods } = statusAt(deployment, Date.now());
  const { images, email, address } = await suspect(db, id);
  const events = await latestEvents(db, id, eventsShown);
  return {
    id,
    applicationName,
    label,
    state,
    message,
    revision,
    images,
    pods,
    ...(email !== null && { email }),
    ...(address !== null && { address }),
    createdAt: new Date(createdAt).toISOString(),
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
    events: events.toReversed().map((event) => ({ ...event, message: describeEvent(event) })),
  };
}
