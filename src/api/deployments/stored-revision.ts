/** Finds a retained revision by its number. */
import type { Deployment, Revision } from '../../deployment/deployment.ts';
import { type Desired, desiredAt } from '../../deployment/desired.ts';
import { revisionBefore } from '../../deployment/revision-history.ts';
import { noEgress } from '../../deployment/workload/egress.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { storedRevisions } from '../../store/revision-history.ts';
import { derivationOf } from '../../store/seeds.ts';
import type { Service } from '../api-service.ts';

/** @param named The number in the request. Default: the current revision. */
export async function findStoredRevision(
  { db }: Service,
  { id, revision }: Pick<Deployment, 'id' | 'revision'>,
  named: string | undefined,
): Promise<Result<number>> {
  if (named === undefined || Number(named) === revision) return succeed(revision);
  const kept = (await storedRevisions(db, id)).map(({ number }) => number);
  return kept.includes(Number(named)) ? succeed(Number(named)) : refuseRevision(Number(named), kept);
}

/**
 * Returns the revision to go back to. @param named Default: the last revision before the current one that became ready.
 */
export async function findEarlier(
  { db }: Service,
  { id, revision }: Pick<Deployment, 'id' | 'revision'>,
  named: number | undefined,
): Promise<Result<number>> {
  const kept = await storedRevisions(db, id);
  if (named === undefined) {
    const before = revisionBefore(kept, revision);
    if (before !== undefined) return succeed(before);
    const hint = `Retained revisions: ${kept.map(({ number }) => number).join(', ')}.`;
    return refuse('revision_not_found', 'No earlier revision became ready.', hint);
  }
  const numbers = kept.map(({ number }) => number);
  return numbers.includes(named) ? succeed(named) : refuseRevision(named, numbers);
}

function refuseRevision(number: number, kept: readonly number[]): Result<never> {
  return refuse(
    'revision_not_found',
    `The deployment has no revision ${number}.`,
    `Retained revisions: ${kept.join(', ')}.`,
  );
}

/**
 * Returns the desired state of a revision, with everything that its pods receive. Ignores a stop of the deployment. The
 * egress depends on the plan and is left out.
 */
export async function desiredOf(
  { db, seal, urlOf, now }: Pick<Service, 'db' | 'seal' | 'urlOf' | 'now'>,
  deployment: Deployment,
  revision: Revision,
): Promise<Desired> {
  const derive = await derivationOf(db, seal, deployment.id);
  const resolution = { now: now(), url: urlOf(deployment.label), derive, egress: noEgress };
  return desiredAt({ ...deployment, stoppedAt: null }, revision, resolution);
}
