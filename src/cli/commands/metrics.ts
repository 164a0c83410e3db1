/** `berth metrics`: prints the current values. */
import type { AnswerOf } from '../../client/client.ts';
import {
  printByteRate,
  printCores,
  printCpu,
  printRate,
  printSize,
  printTime,
  printUptime,
} from '../../config/values/measures.ts';
import { statuses } from '../arguments.ts';
import { printable, renderTable } from '../render.ts';
import { type Run, targetOf } from './command.ts';

type Metrics = AnswerOf<'getDeploymentMetrics'>;

export const metrics: Run = async (context) => {
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const answer = await connection.client.call('getDeploymentMetrics', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { pods, volumes, site, message } = answer.value;
  terminal.json(answer.value);
  const now = Date.now();
  if (pods.length > 0)
    terminal.print(
      renderTable(
        ['POD', 'PROCESSOR', 'MEMORY', 'IN', 'OUT', 'UP', 'RESTARTS'],
        pods.map((pod) => podRow(pod, now)),
      ),
    );
  if (volumes.length > 0)
    terminal.print(
      `\n${renderTable(
        ['VOLUME', 'USED', 'OF'],
        volumes.map(({ name, usedBytes, sizeBytes }) => [printable(name), printSize(usedBytes), printSize(sizeBytes)]),
      )}`,
    );
  terminal.print(`\n${describeSite(site.now)}\n`);
  if (message !== undefined) terminal.printNote(printable(message));
  return statuses.done;
};

function podRow({ name, replica, now: used, startedAt, restarts, ...limits }: Metrics['pods'][number], nowMs: number) {
  const { cpuLimitMillis, memoryLimitBytes } = limits;
  const of = (limit: string | undefined) => (limit === undefined ? '' : ` of ${limit}`);
  const cores = cpuLimitMillis === undefined ? undefined : printCores(cpuLimitMillis);
  const most = memoryLimitBytes === undefined ? undefined : printSize(memoryLimitBytes);
  return [
    printable(replica === 0 ? name : `${name}-${replica}`),
    `${printCpu(cpuLimitMillis)(used?.cpuMillis ?? null)}${of(cores)}`,
    `${printSize(used?.memoryBytes ?? null)}${of(most)}`,
    ...[printByteRate(used?.receivedBytesPerSecond ?? null), printByteRate(used?.sentBytesPerSecond ?? null)],
    used && startedAt !== undefined ? printUptime(nowMs - Date.parse(startedAt)) : 'not running',
    String(restarts),
  ];
}

function describeSite({
  requestsPerSecond,
  clientErrorsPerSecond,
  serverErrorsPerSecond,
  p50Ms,
  p95Ms,
}: Metrics['site']['now']) {
  if (requestsPerSecond === null) return 'No requests were counted in the last minute.';
  const errors = `${printRate(clientErrorsPerSecond)} with 4xx, ${printRate(serverErrorsPerSecond)} with 5xx`;
  const times = p50Ms === null ? '' : `; answers begin after ${printTime(p50Ms)} (p50) and ${printTime(p95Ms)} (p95)`;
  return `Over the last minute ${printRate(requestsPerSecond)} requests: ${errors}${times}.`;
}
