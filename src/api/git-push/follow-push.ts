/** Reports the progress of a revision's build and start to the Git client that pushed it, line by line. */
import { withShortNames } from '../../config/values/pushed-image.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { statusAt } from '../../deployment/status/deployment-health.ts';
import { withoutColors } from '../../lib/terminal-colors.ts';
import { wait } from '../../lib/wait.ts';
import { buildLogOf } from '../../store/builds.ts';
import { deploymentById } from '../../store/deployments.ts';
import type { Service } from '../api-service.ts';
import { hasArrived } from '../deployments/waiting.ts';

/** `left`: neither the push nor a failure has ended the wait. */
export type Arrival = { kind: 'running' | 'replaced' | 'ended' | 'left' } | { kind: 'failed'; lines: string[] };

const lookEveryMs = 500;

/** Yields lines, and an empty list for each look without news, until the revision has arrived or `stop` aborts. */
export async function* followPush(
  { db, now }: Pick<Service, 'db' | 'now'>,
  { id, revision }: Pick<Deployment, 'id' | 'revision'>,
  stop: AbortSignal,
): AsyncGenerator<string[], Arrival> {
  let shown: ShownLines = { count: 0, last: undefined };
  let message = '';
  while (!stop.aborted) {
    // The deployment first, so that the output of a build that has failed is complete.
    const deployment = await deploymentById(db, id);
    const build = await buildLogOf(db, id, revision);
    const isBuilding = build?.state === 'building';
    const news = unshownLines(build?.log ?? '', shown, isBuilding);
    shown = news.shown;
    const lines = news.lines.map(withoutColors);
    if (!deployment) return yield* ending(lines, { kind: 'ended' });
    if (deployment.revision !== revision) return yield* ending(lines, { kind: 'replaced' });
    const current = withShortNames(statusAt(deployment, now()).message);
    if (hasArrived(deployment, now()))
      return yield* ending(lines, arrivalOf(deployment, current, build?.state === 'failed'));
    // The output contains the steps of a build.
    const isStep = deployment.explanation?.kind === 'building';
    if (!isStep && current !== message && current !== '') lines.push(current);
    message = current;
    yield lines;
    await wait(lookEveryMs, stop);
  }
  return { kind: 'left' };
}

async function* ending(lines: string[], arrival: Arrival): AsyncGenerator<string[], Arrival> {
  yield lines;
  return arrival;
}

function arrivalOf({ state, lastLines }: Deployment, message: string, isInOutput: boolean): Arrival {
  if (state === 'running') return { kind: 'running' };
  if (state !== 'failed') return { kind: 'ended' };
  return { kind: 'failed', lines: isInOutput ? [message] : [...lastLines.map((line) => `  ${line}`), message] };
}

export type ShownLines = { count: number; last: string | undefined };

/**
 * PURE. The lines of a build's output that were not shown. The last line of a running build may be incomplete, so it is
 * shown at the second look. Of a long output the middle is left out, and of a build that was begun again everything: then
 * only what follows is shown.
 */
export function unshownLines(
  log: string,
  shown: ShownLines,
  isBuilding: boolean,
): { lines: string[]; shown: ShownLines } {
  const all = log === '' ? [] : log.replace(/\n$/, '').split('\n');
  const last = all.at(-1);
  const isComplete = !isBuilding || last === shown.last;
  const count = isComplete ? all.length : Math.max(0, all.length - 1);
  return { lines: all.slice(shown.count, count), shown: { count, last } };
}
