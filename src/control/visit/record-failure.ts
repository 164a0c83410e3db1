/** Records the failure of a revision with its last log lines, and notes an event if it is new. */
import { isDeepStrictEqual } from 'node:util';
import type { Deployment, PodStatus } from '../../deployment/deployment.ts';
import { hasFailed, type Running } from '../../deployment/desired.ts';
import { nextState } from '../../deployment/status/lifecycle.ts';
import {
  describeExplanation,
  type Explanation,
  isSameFailure,
  type Reason,
  withMessage,
} from '../../deployment/status/reason.ts';
import { foldRepetitions } from '../../deployment/status/repeated-lines.ts';
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { Engine } from '../../engine/engine.ts';
import { buildOf } from '../../store/builds.ts';
import type { Database } from '../../store/database.ts';
import { restoreInto } from '../../store/restores.ts';
import { snapshotBeforeUpdate } from '../../store/snapshots.ts';
import type { Control } from '../control.ts';
import { linesHint } from './failure.ts';
import type { Journal } from './journal.ts';

/** `workload`: the workload whose log explains the failure. `lastLines`: its last lines. */
export type FinalReason = Reason & { workload?: WorkloadName; lastLines?: string[] };

type Failing = { deployment: Deployment; journal: Journal; redact: (text: string) => string };

/**
 * `pods`: all pods now, including those that cause the failure. Returns whether the deployment falls back to the
 * revision that served before.
 */
export async function recordFailure(
  { workload, lastLines: known, ...why }: FinalReason,
  pods: PodStatus[],
  { deployment, journal, redact }: Failing,
  { engine, now, log }: Control,
): Promise<'falls-back' | 'stays'> {
  const fallback = deployment.servingRevision !== null && deployment.servingRevision !== deployment.revision;
  const lastLines = known?.map(redact) ?? (await lastLinesOf(engine, workload, redact));
  const hint = why.hint ?? (workload === undefined ? undefined : linesHint(lastLines));
  const failure = {
    ...withMessage({ ...why, ...(hint !== undefined && { hint }) }, redact),
    ...(fallback && { servingRevision: deployment.servingRevision! }),
  };
  const explanation: Explanation = { kind: 'failed', ...failure };
  const isNews = deployment.state !== 'failed';
  // After a fallback, the explanation of the failed update stays.
  if (!isNews && (fallback || isDeepStrictEqual(deployment.explanation, explanation))) {
    await (isDeepStrictEqual(pods, deployment.pods) ? journal.flush() : journal.record({ pods }));
    return 'stays';
  }
  if (isNews || !isSameFailure(deployment.explanation, explanation)) {
    journal.addEvent({ kind: 'state', state: 'failed', ...failure, lastLines });
    log.info({ deployment: deployment.id, because: describeExplanation(explanation) }, 'deployment failed');
  }
  const state = nextState(deployment.state, 'given-up');
  const fallsBack = fallback && isNews;
  // The previous revision gets its own deadline.
  const progressedAt = fallsBack ? { progressedAt: now() } : {};
  const settled = { number: deployment.revision, outcome: 'failed' } as const;
  await journal.record({ state, explanation, lastLines, pods, ...progressedAt }, settled);
  return fallsBack ? 'falls-back' : 'stays';
}

/** The last log lines of a failed pod, for its owner. */

/** The number of lines that are shown, and that are read, because many may be repetitions. */
const linesShown = 50;
const linesRead = 200;

/** Returns the lines without secrets; [] if the workload is missing or has written nothing. */
async function lastLinesOf(
  engine: Pick<Engine, 'logs'>,
  workload: WorkloadName | undefined,
  redact: (text: string) => string,
): Promise<string[]> {
  if (workload === undefined) return [];
  const lines = await engine.logs(workload, { tail: linesRead });
  const texts = lines.map(({ text }) => redact(text));
  return foldRepetitions(texts, linesShown, lines.length >= linesRead);
}

/**
 * Work that has to be complete before a deployment is changed: the build of its images, a snapshot before an update,
 * and the data of a deployment that starts with the data of another one.
 */

/** The snapshot worker also makes the deployment due when it has finished. */
export const retryMs = 5_000;

/** Returns `wait`, or the reason why the update or start has failed. A restore is checked first. */
export async function findAwaited(
  db: Database,
  deployment: Deployment,
  { restore }: Running,
): Promise<'wait' | FinalReason | undefined> {
  if (restore) return undefined;
  // A deployment that has served has its data.
  const data = deployment.servingRevision === null ? await restoreInto(db, deployment.id) : undefined;
  if (data && data.state !== 'failed') return 'wait';
  if (data)
    return {
      pods: [],
      because: `the data of snapshot ${data.snapshotId} could not be fetched: ${data.problem}`,
      hint: 'Remove it, and restore the snapshot again.',
    };
  const isDeploying = deployment.state === 'deploying';
  // A revision whose build has failed has no images. It stays failed for that reason at every later visit.
  if (!isDeploying && !hasFailed(deployment)) return undefined;
  const build = await buildOf(db, deployment.id, deployment.revision);
  if (build?.state === 'asked' || build?.state === 'building') return 'wait';
  if (build?.state === 'failed')
    return {
      pods: build.pods,
      because: build.problem!,
      lastLines: build.lastLines,
      ...(build.hint !== null && { hint: build.hint }),
    };
  if (!isDeploying) return undefined;
  const awaited = await snapshotBeforeUpdate(db, deployment);
  if (awaited?.state !== 'failed') return awaited && 'wait';
  return {
    pods: [],
    because: `no snapshot could be taken before the update: ${awaited.problem}`,
    hint: 'Send the update again: with snapshot=true to try another snapshot, or without one.',
  };
}
