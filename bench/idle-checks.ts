/** The cost of health checks of many healthy pods. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProbe } from '../src/engine/readiness/probe.ts';
import { minPeriodMs, type Rechecked, startRechecks } from '../src/engine/readiness/recheck.ts';

/** The share of a processor that this process uses. Each pod is checked every second. */
export async function measureIdleChecks(pods: number, seconds: number): Promise<number> {
  const server = fork(join(import.meta.dirname, 'well-server.ts'));
  const [port] = (await once(server, 'message')) as [number];
  const known = new Map<string, Rechecked[]>();
  for (let pod = 0; pod < pods; pod++) {
    const probe = createProbe({
      readiness: {
        kind: 'http',
        path: '/',
        port,
        initialDelaySeconds: 0,
        periodSeconds: 1,
        timeoutSeconds: 5,
        failureThreshold: 3,
      },
      address: '127.0.0.1',
      startedAtMs: 0,
      uptime: () => performance.now(),
      minPeriodMs,
      runCheck: async () => undefined,
      listens: async () => true,
    });
    await probe.attempt();
    known.set(String(pod), [{ probe, reportedReady: true }]);
  }
  const stop = new AbortController();
  const asking = startRechecks(
    () => known,
    () => {},
    stop.signal,
  );
  // Until the first of them are due.
  await delay(minPeriodMs);
  const [begunAt, before] = [performance.now(), process.cpuUsage()];
  await delay(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - begunAt);
  stop.abort();
  await asking;
  server.kill();
  return share;
}
