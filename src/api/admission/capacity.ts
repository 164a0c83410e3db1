/** Whether a start or an update still fits on the host, and whether it ever could. */
import type { AppSpec } from '../../config/spec/spec.ts';
import { printBytes } from '../../config/values/units.ts';
import { beyondCounts } from '../../deployment/limits/count-maximum.ts';
import { beyond, type Maximum, type Present } from '../../deployment/limits/deployment-maximum.ts';
import { type Budget, fits, growth, type HostResource } from '../../deployment/limits/host-budget.ts';
import { type Amount, amountOf } from '../../deployment/limits/pod-resources.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { committedInAll, committedTo } from '../../store/commitments.ts';
import type { Database } from '../../store/database.ts';
import { volumeSizesOfDeployment } from '../../store/revisions.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';

/** Deployments that end leave the engine within a minute. */
const retryAfterSeconds = 60;

/** Returns whether the space is available now. */
export async function admitToHost(
  db: Database,
  budget: Budget,
  { spec, deploymentId }: { spec: AppSpec; deploymentId?: string | undefined },
): Promise<Result<undefined>> {
  const requested = await addedAmount(db, { spec, deploymentId });
  const fit = fits(budget, await committedInAll(db), requested);
  if (fit.kind === 'fits') return succeed(undefined);
  const { called, print, hint } = words[fit.resource];
  const amount = `${deploymentId === undefined ? '' : 'another '}${print(fit.requested)}`;
  const problem = {
    code: 'capacity_exhausted',
    error: `This server does not have enough ${called} left for application ${spec.name}, which requests ${amount}.`,
    hint: `Try again in ${retryAfterSeconds} seconds. ${hint}`,
    retryAfterSeconds,
  } as const;
  return { ok: false, problem };
}

/**
 * Returns the bounds that the configuration exceeds even on an otherwise empty server. Such an error is permanent.
 * `ofAll`: whether to check memory, processor and disk, too, or only counts. The lines are determined after the
 * transaction, because that takes another parse of the document and other writers wait for the transaction.
 */
export async function exceededBounds(
  db: Database,
  max: Maximum,
  { spec, deploymentId, ofAll }: { spec: AppSpec; deploymentId?: string; ofAll: boolean },
): Promise<Bounds | undefined> {
  const present = deploymentId === undefined ? undefined : await presentOf(db, deploymentId);
  const found = ofAll ? beyond(spec, max, present) : beyondCounts(spec, max, present);
  return found.length === 0 ? undefined : { max, present };
}

/** The resources of a start, or those that an update adds to its deployment. */
export async function addedAmount(
  db: Database,
  { spec, deploymentId }: { spec: AppSpec; deploymentId?: string | undefined },
): Promise<Amount> {
  if (deploymentId === undefined) return amountOf(spec);
  const { has, left } = await presentOf(db, deploymentId);
  return growth(has, amountOf(spec, left));
}

async function presentOf(db: Database, deploymentId: string): Promise<Required<Present> & { has: Amount }> {
  return { has: await committedTo(db, deploymentId), left: await volumeSizesOfDeployment(db, deploymentId) };
}

/** Ends the transaction. The response to the caller contains more details. */
export const exceedsMaximum = refuse('invalid_configuration', 'The configuration requests more than is available.');

const words: Record<HostResource, { called: string; print: (amount: number) => string; hint: string }> = {
  memoryBytes: {
    called: 'memory',
    print: printBytes,
    hint: 'Smaller resources.requests.memory and resources.limits.memory reserve less.',
  },
  cpuMillis: {
    called: 'processor time',
    print: (millis) => `${millis}m`,
    hint: 'Smaller resources.requests.cpu and resources.limits.cpu reserve less.',
  },
  diskBytes: { called: 'disk space', print: printBytes, hint: 'Use fewer or smaller volumes.' },
  gpus: { called: 'GPUs', print: String, hint: 'Pods without useGPU need no GPU.' },
};
