/**
 * `node bench/sampling.ts [deployments]`: what measuring costs, as a share of one processor, by this process and by the
 * engine, with so many containers (default 200) that do nothing. Looks follow each other at once, and each counts as the
 * ten seconds that lie between two of the service.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createMeasured } from '../src/deployment/metrics/measured.ts';
import { stepMs } from '../src/deployment/metrics/series.ts';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../src/engine/docker/docker.ts';
import { facetOf } from '../src/engine/engine.ts';
import { deploymentLabels, labelKeys } from '../src/engine/labels.ts';
import { createSemaphore } from '../src/lib/concurrency.ts';
import { newId } from '../src/lib/ids.ts';

const count = Number(process.argv[2] ?? 200);
const looks = 60;
/** Built by the set-up, and there wherever the service runs. */
const image = 'nginx:1';

const docker = await connectDocker();
const owner = `bench-${newId(randomBytes)}`;
const engine = createDockerEngine({ docker, owner, networkPool: '10.207.0.0/16' });
const inTurn = createSemaphore(4);
const listening = new AbortController();
try {
  await Promise.all(Array.from({ length: count }, (_, number) => inTurn(() => startOne(number))));
  const meter = facetOf(engine, 'usage');
  // As in the service: the engine reports changes, so the running workloads are not queried.
  engine.watch(() => {}, listening.signal);
  const seen = (await meter.workloads()).length;
  const measured = createMeasured();
  const enginePid = Number(await readFile('/var/run/docker.pid', 'utf8').catch(() => 'NaN'));
  const engineBefore = await ticksOf(enginePid);
  const before = process.cpuUsage();
  const begunAt = performance.now();
  for (let look = 0; look < looks; look++) {
    const at = Date.now() + look * stepMs;
    await measured.add({ at, elapsedMs: stepMs, uses: await meter.workloads(), requests: new Map() });
  }
  const { user, system } = process.cpuUsage(before);
  const engineTicks = (await ticksOf(enginePid)) - engineBefore;
  const each = (ms: number) =>
    `${(ms / looks).toFixed(2)} ms a look, ${((ms / looks / stepMs) * 100).toFixed(3)} % of a processor`;
  console.log(
    `${seen} of ${count} containers are measured; ${looks} looks in ${Math.round(performance.now() - begunAt)} ms`,
  );
  console.log(`the service: ${each((user + system) / 1_000)}`);
  console.log(`the engine: ${each(engineTicks * 10)}`);
} finally {
  listening.abort();
  for (const owned of await engine.listOwned()) await engine.removeOwned(owned);
}

async function startOne(number: number): Promise<void> {
  const Labels = {
    ...deploymentLabels(owner, `${owner}-${number}`),
    [labelKeys.pod]: 'web',
    [labelKeys.revision]: '1',
    [labelKeys.replica]: '0',
  };
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ['sleep', '1000000'],
    Cmd: [],
    Labels,
    name: `${owner}-${number}`,
    HostConfig: { NanoCpus: 1e9, Memory: 64 * 2 ** 20 },
  });
  await container.start();
}

/** User and system time of a process in hundredths of a second: fields 14 and 15 of proc(5). */
async function ticksOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
