/** Metrics of a busy deployment: real containers, the kernel's own numbers, the edge's own counters. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** Computes 20 ms for each request to `/compute`, holds 32 MiB more after `/hold`, and ends at `/end`. */
const yaml = `application:
  name: measured
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      resources: { limits: { cpu: 500m, memory: 256Mi } }
      volumes: [{ name: data, size: 32Mi, mountPath: /data }]
      command: node /app/server.mjs
      files:
        - path: /app/server.mjs
          content: |
            import { writeFileSync } from 'node:fs';
            import { createServer } from 'node:http';
            const held = [];
            createServer(({ url }, response) => {
              if (url === '/compute') for (const until = performance.now() + 20; performance.now() < until; );
              if (url === '/hold') held.push(Buffer.alloc(32 * 2 ** 20, 1));
              if (url === '/write') writeFileSync('/data/file', Buffer.alloc(16 * 2 ** 20, 1));
              if (url === '/end') setImmediate(() => process.exit(3));
              response.writeHead(url === '/nowhere' ? 404 : url === '/broken' ? 500 : 200).end('x'.repeat(10_000));
            }).listen(3000);
`;

type Values = Record<string, number | null>;
type Pod = { startedAt: string; restarts: number; lastExit?: { reason: string }; now?: Values };

test('under a load the numbers of its pod and of its site move, for its owner and for the operator', async () => {
  const app = await berth.start(yaml);
  await berth.reach(app, 'running');
  const { applicationName, sessionToken } = app;
  const ask = async () => {
    const { body } = await berth.get(`/getDeploymentMetrics?applicationName=${applicationName}`, {
      authorization: `Bearer ${sessionToken}`,
    });
    return body as {
      pods: Pod[];
      volumes: { name: string; usedBytes: number; sizeBytes: number }[];
      site: { now: Values };
    };
  };
  const [idle] = await until('its pod was measured twice', async () => {
    const { pods } = await ask();
    return pods[0]?.now?.cpuMillis !== undefined && pods[0].now.cpuMillis !== null ? pods : undefined;
  });
  assert.ok(idle?.now && (idle.now.memoryBytes ?? 0) > 2 ** 20, JSON.stringify(idle));

  assert.equal((await berth.visit(`${app.url}/hold`)).status, 200);
  assert.equal((await berth.visit(`${app.url}/write`)).status, 200);
  /** Some each time that is looked: bounded by what is waited for. */
  const load = async () => {
    for (const path of ['/compute', '/compute', '/compute', '/nowhere', '/broken'])
      await berth.visit(`${app.url}${path}`);
  };
  const { pods, site } = await until('the numbers move', async () => {
    await load();
    const reported = await ask();
    const { requestsPerSecond, clientErrorsPerSecond, serverErrorsPerSecond } = reported.site.now;
    const now = reported.pods[0]?.now;
    const moves =
      (now?.cpuMillis ?? 0) > (idle.now?.cpuMillis ?? 0) + 5 &&
      (now?.memoryBytes ?? 0) > (idle.now?.memoryBytes ?? 0) + 24 * 2 ** 20 &&
      (now?.sentBytesPerSecond ?? 0) > 1_000 &&
      [requestsPerSecond, clientErrorsPerSecond, serverErrorsPerSecond].every((rate) => (rate ?? 0) > 0);
    return moves ? reported : undefined;
  });
  const { requestsPerSecond, clientErrorsPerSecond, p50Ms, p95Ms } = site.now;
  assert.ok(requestsPerSecond! > clientErrorsPerSecond!, JSON.stringify(site.now));
  // Three of five compute for 20 ms.
  assert.ok(p50Ms! > 10 && p95Ms! >= p50Ms!, JSON.stringify(site.now));
  assert.equal(pods[0]?.restarts, 0);

  const { body: exposed } = await berth.get('/metrics/deployments');
  assert.match(exposed, /^berth_pod_memory_limit_bytes\{[^}]*application="measured"[^}]*\} 268435456$/m);
  assert.match(exposed, /^berth_site_errors_total\{[^}]*application="measured"[^}]*class="5xx"\} [1-9]/m);

  if (process.getuid?.() === 0)
    await until('its volume holds what was written', async () => {
      const [volume] = (await ask()).volumes;
      return volume && volume.usedBytes > 16 * 2 ** 20 && volume.usedBytes < volume.sizeBytes ? volume : undefined;
    });

  await berth.visit(`${app.url}/end`);
  const again = await until('its restart is reported with its reason', async () => {
    const [pod] = (await ask()).pods;
    return pod && pod.restarts > 0 && pod.startedAt > idle.startedAt ? pod : undefined;
  });
  assert.match(again.lastExit?.reason ?? '', /code 3/);
  await berth.remove(app);
});
