/** The last lines of the pod that an owner should look at, while a deployment starts and after a restart. */
import { type Deployment, type Instant, isActive } from '../../deployment/deployment.ts';
import { type ShownPod, statusAt } from '../../deployment/status/deployment-health.ts';
import { foldRepetitions } from '../../deployment/status/repeated-lines.ts';
import { EngineFault } from '../../engine/engine.ts';
import type { Service } from '../api-service.ts';
import { lastLines } from '../logs/read-logs.ts';

const linesShown = 20;
const linesRead = 100;
/** How long a pod that is ready again still counts as restarted. */
const afterRestartMs = 10 * 60_000;

/** Returns the lines recorded with a failure. Otherwise reads the current lines, including those of the previous run. */
export async function recentLines(service: Service, deployment: Deployment, signal: AbortSignal): Promise<string[]> {
  const now = service.now();
  if (deployment.lastLines.length > 0 || !isActive(deployment, now)) return deployment.lastLines;
  const pod = podToRead(statusAt(deployment, now).pods, now);
  if (!pod) return [];
  const asked = { pod: pod.name, revision: pod.revision, tail: linesRead, isPrevious: false };
  const every = { ...asked, since: undefined, until: undefined, search: undefined, stream: undefined };
  try {
    const { workloads } = await service.engine.observe(deployment.id, []);
    const { lines } = await lastLines(service, deployment, workloads, every, signal);
    const texts = lines.map(({ text }) => text);
    return foldRepetitions(texts, linesShown, texts.length >= linesRead);
  } catch (error) {
    if (error instanceof EngineFault || signal.aborted) return [];
    throw error;
  }
}

/** PURE. The pod that is worst off; undefined if all are ready and none was restarted in the last minutes. */
export function podToRead(pods: readonly ShownPod[], now: Instant): ShownPod | undefined {
  const hasExited = ({ lastExit }: ShownPod) => lastExit !== undefined && now - lastExit.at < afterRestartMs;
  const isAway = ({ state }: ShownPod) => state !== 'ready' && state !== 'waiting';
  return pods.find((pod) => isAway(pod) && hasExited(pod)) ?? pods.find(isAway) ?? pods.find(hasExited);
}
