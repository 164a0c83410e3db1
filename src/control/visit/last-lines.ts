/** What a pod that failed has written last, as its owner is shown it. */
import { foldRepetitions } from '../../deployment/status/repeated-lines.ts';
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { Engine } from '../../engine/engine.ts';

/** How much is shown, of how much that is read: most of it may be repetitions. */
const linesShown = 50;
const linesRead = 200;

/** Without secrets; [] when there is no such workload, or it has written nothing. */
export async function lastLinesOf(
  engine: Pick<Engine, 'logs'>,
  workload: WorkloadName | undefined,
  redact: (text: string) => string,
): Promise<string[]> {
  if (workload === undefined) return [];
  const lines = await engine.logs(workload, { tail: linesRead });
  const texts = lines.map(({ text }) => redact(text));
  return foldRepetitions(texts, linesShown, lines.length >= linesRead);
}
