/** A service with HTTPS of a test's own, on the engine in memory and a real HAProxy. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Deployment } from '../../src/client/service-types.ts';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { serve } from '../../src/main.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { afterDeath } from '../after-death.ts';
import { freePort } from '../free-port.ts';
import { tlsClient } from '../support/tls.ts';
import { type Pebble, startPebble } from './pebble.ts';

export const document = `application:
  name: hello
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
`;

export type HttpsService = {
  pebble: Pebble;
  port: number;
  httpsPort: number;
  dataDir: string;
  log(): Promise<string>;
  /** Trusts what pebble issues. */
  client(how?: { keepAlive: boolean }): Promise<ReturnType<typeof tlsClient>>;
  /** Starts a deployment, through the port of HTTP at the machine's own address; its host. */
  deploy(): Promise<string>;
  /** The same, with the token. */
  start(): Promise<{ host: string; token: string }>;
  status(token: string): Promise<Deployment>;
  metric(name: string): Promise<number | undefined>;
  /** Ends the service, and starts it again. HAProxy goes on. */
  restart(): Promise<void>;
};

export type HttpsWays = {
  now?: () => number;
  lifeSeconds?: number;
  isTrusting?: boolean;
  /** A proxy before the authority, which the service uses. */
  before?: (pebble: Pebble) => Promise<Pick<Pebble, 'directory' | 'rootFile'>>;
  /** New certificates in seven days. */
  weekly?: number;
  /** A command of `BERTH_ACME_DNS`, which may use pebble's. */
  hookOf?: (pebbles: string) => Promise<string>;
};

/** At `berth.test`, applications below `apps.test`; with `hook`, records are set by it. */
export async function startHttps(
  t: TestContext,
  change: Record<string, string> = {},
  {
    now = Date.now,
    lifeSeconds,
    isTrusting = false,
    before = async (pebble) => pebble,
    weekly = 50,
    hookOf,
  }: HttpsWays = {},
): Promise<HttpsService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-acme-'));
  const undertaker = afterDeath(['test/end-edge.ts', dataDir]);
  const [port, httpsPort] = [await freePort(), await freePort()];
  const pebble = await startPebble(port, { isTrusting, ...(lifeSeconds !== undefined && { lifeSeconds }) });
  const { directory, rootFile } = await before(pebble);
  const read = readSettings({
    BERTH_ENGINE: 'memory',
    BERTH_DATA_DIR: dataDir,
    BERTH_DISK_FREE: '1Mi',
    BERTH_PORT: String(port),
    BERTH_BASE_URL: `https://berth.test:${httpsPort}`,
    BERTH_APPS_DOMAIN: 'apps.test',
    BERTH_ACME: `${directory} terms=accepted root=${rootFile} weekly=${weekly}`,
    BERTH_OPERATOR_MAIL: 'operator@example.com',
    BERTH_CLIENT_LIMITS: 'starts=100/m',
    ...(change.BERTH_ACME_DNS === 'pebble' ? { ...change, BERTH_ACME_DNS: pebble.hook } : change),
    ...(hookOf && { BERTH_ACME_DNS: await hookOf(pebble.hook) }),
  });
  assert.ok(read.ok, read.ok ? '' : read.mistakes.join('\n'));
  const logFile = join(dataDir, 'berth.log');
  const begin = () => serve(read.settings, logFile, { now });
  let running = await begin();
  t.after(async () => {
    await running.stop();
    await stopEdge(dataDir);
    await pebble.close();
    await rm(dataDir, { recursive: true });
    undertaker.dismiss();
  });
  const own = `http://127.0.0.1:${port}`;
  async function start() {
    const answer = await fetch(`${own}/startUserDeployment`, { method: 'POST', body: document });
    const body = (await answer.json()) as { url: string; sessionToken: string };
    assert.equal(answer.status, 200, JSON.stringify(body));
    return { host: new URL(body.url).hostname, token: body.sessionToken };
  }
  return {
    pebble,
    port,
    httpsPort,
    dataDir,
    log: () => readFile(logFile, 'utf8'),
    client: async (how) => tlsClient(httpsPort, await pebble.root(), how),
    deploy: async () => (await start()).host,
    start,
    async status(token) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${own}/getDeploymentStatus?applicationName=hello`, { headers });
      return (await answer.json()) as Deployment;
    },
    async metric(name) {
      const text = await (await fetch(`${own}/metrics`)).text();
      const line = text.split('\n').find((line) => line.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.split(' ')[1]);
    },
    async restart() {
      await running.stop();
      running = await begin();
    },
  };
}
