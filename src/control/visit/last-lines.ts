/** The last log lines of a failed pod, for its owner. */
import { foldRepetitions } from '../../deployment/status/repeated-lines.ts';
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { Engine } from '../../engine/engine.ts';

/** The number of lines that are shown, and that are read, because many may be repetitions. */
const linesShown = 50;
const linesRead = 200;

/** Returns the lines without secrets; [] if the workload is missing or has written nothing. */
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
