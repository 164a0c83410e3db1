/** The API as a function, for tests: a database in memory, a clock that only the test moves, no loop behind it. */
import assert from 'node:assert/strict';
import { type Logger, pino } from 'pino';
import type { Accounts, ApiSettings, Service } from '../../src/api/api-service.ts';
import { createApp } from '../../src/api/app.ts';
import type { Budget } from '../../src/deployment/limits/host-budget.ts';
import { createMemoryWorld } from '../../src/engine/memory/world.ts';
import { createDialer } from '../../src/images/dialer/dialer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createNotifier } from '../../src/lib/notifier.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { declaredCodes } from './declared-codes.ts';
import { emptyStore } from './empty-store.ts';
import { createTestEngine } from './memory-engine.ts';

export const shopYaml = `application:
  name: shop
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
`;

const minutes = 60_000;

/**
 * The description of the first API of this process. Describing an API takes 25 ms of processor time, and all have the
 * same requests.
 */
let described: object | undefined;

/** Accounts without users; tests of accounts use real ones. */
const nobody: Accounts = {
  methods: async () => ({ password: false, passkeys: false, providers: [], sendsMail: false, signUp: false }),
  answer: async () => new Response(null, { status: 404 }),
  signedIn: async () => undefined,
};

/**
 * `accountsOf` creates the accounts; without it, users do not exist. `given`: another database than one in memory;
 * `seal`: by other keys than one of the tests; `beside`: other processes, and another dialer.
 */
export async function testApi(
  settings: Partial<ApiSettings> = {},
  accountsOf: (wiring: Pick<Service, 'db' | 'seal' | 'now'> & { log: Logger }) => Accounts = () => nobody,
  given?: Service['db'],
  seal: Service['seal'] = sealWith('a secret of the tests'),
  other: Pick<Service, 'exchange' | 'samples'> & Partial<Pick<Service, 'dialer'>> = {},
) {
  const db = given ?? (await emptyStore());
  const woken: string[] = [];
  const clock = { now: Date.UTC(2026, 0, 1, 12) };
  const world = createMemoryWorld({});
  const budget: Budget = { memoryBytes: 2 ** 40, cpuMillis: 1e6, diskBytes: 2 ** 40 };
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const service: Service = {
    engine: createTestEngine({ world }),
    db,
    seal,
    accounts: accountsOf({ db, seal, log, now: () => clock.now }),
    settings: {
      baseUrl: new URL('http://localhost:8080'),
      limits: { lifetimeMs: 120 * minutes, extensionMs: 120 * minutes, extensions: 2 },
      graceMs: 0,
      startRate: { count: 1000, windowMs: minutes },
      rate: { count: 1000, windowMs: minutes },
      documentRate: { count: 2 ** 30, windowMs: minutes },
      signInRate: { count: 1000, windowMs: minutes },
      networkPool: '10.200.0.0/13',
      tiers: [{ name: 'free', deployments: 3, memoryBytes: 2 ** 30, allowsReservations: false, lifetimeMs: null }],
      strangers: { perSession: 1000, perAddress: 1000, memoryBytesPerAddress: 2 ** 40 },
      proofOfWork: { mode: 'off', cost: 10 },
      domains: { hasCertificates: false },
      ...settings,
    },
    urlOf: (label) => new URL(`http://${label}.localhost:8080`),
    budget: async () => budget,
    metrics: createMetrics(),
    now: () => clock.now,
    notifier: createNotifier(),
    dialer: createDialer(),
    ...other,
    wake: (deploymentId) => woken.push(deploymentId),
    wakeDomains: () => {},
  };
  const app = await createApp(service, log);

  const send = async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: string,
    headers: Record<string, string> = {},
  ) => {
    const response = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const answer = { status: response.statusCode, headers: response.headers };
    if (!isJson) return { ...answer, body: response.body };
    const json = response.json();
    // The sign-in endpoints have more codes than the others.
    if (answer.status >= 400 && !url.startsWith('/api/auth/')) {
      described ??= app.swagger() as object;
      const path = url.split('?')[0]!;
      const declared = declaredCodes(described, method, path) ?? declaredCodes(app.swagger() as object, method, path);
      if (declared) assert.ok(declared.includes(json?.code), `${method} ${url} may not answer ${json?.code}`);
    }
    return { ...answer, body: json };
  };
  return {
    app,
    service,
    world,
    clock,
    woken,
    lines,
    budget,
    get: (url: string, headers?: Record<string, string>) => send('GET', url, undefined, headers),
    postYaml: (url: string, yaml: string, headers?: Record<string, string>) =>
      send('POST', url, yaml, { 'content-type': 'text/x-yaml', ...headers }),
    postJson: (url: string, body: unknown, headers?: Record<string, string>) =>
      send('POST', url, JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
    send,
    /** A started shop and its token. */
    async startShop(): Promise<string> {
      const { body } = await send('POST', '/startUserDeployment', shopYaml, { 'content-type': 'text/x-yaml' });
      return body.sessionToken;
    },
  };
}

export type TestApi = Awaited<ReturnType<typeof testApi>>;
