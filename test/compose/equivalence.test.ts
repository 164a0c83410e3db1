/** Every accepted Compose file is a valid application: the native form describes the same one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseConfiguration } from '../../src/config/parse.ts';
import { printSpec } from '../../src/config/spec/print-spec.ts';
import { inTier } from '../tier.ts';

const optional = (...values: unknown[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 });
const some = (...values: unknown[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const names = [
  'web',
  'db',
  'My_Api',
  'x',
  '9to5',
  'api.v2',
  'a-b',
  '_',
  'worker-with-a-rather-long-name-that-is-longer-than-dns-allows-it-to-be',
];

const service = fc.record({
  image: fc.constantFrom(
    'nginx:1.29',
    'postgres',
    `ghcr.io/a/b@sha256:${'a'.repeat(64)}`,
    'localhost:5000/x:1',
    'redis:7',
    'a_b/c.d',
  ),
  ports: some(
    '80',
    '8080:80',
    '127.0.0.1:1:3000/tcp',
    443,
    '9000-9003',
    { target: 81, published: 80 },
    '53:53/udp',
    '5432',
  ),
  expose: some(3000, '80', '6000-6002'),
  environment: fc.dictionary(
    fc.constantFrom('A', 'DB_PASSWORD', 'x.y', 'URL', 'NEXT_PUBLIC_API'),
    fc.constantFrom<unknown>(
      1,
      true,
      null,
      '',
      '${B}',
      '$$X',
      '${DB_PASSWORD}',
      'http://db:5432',
      '<% URL %>',
      '${{x}}',
      'a\nb',
      ' ',
    ),
    { maxKeys: 4 },
  ),
  command: optional('run it', ['a b', ''], '', [], 'sh -c "x && y"', '$$HOME ${A:-b}'),
  entrypoint: optional('', ['/e'], 'sh -c'),
  volumes: some('data:/data', 'Data:/D/', '/anonymous', '/a b', 'data:/data/sub', {
    type: 'volume',
    source: 'v.w',
    target: '/v',
  }),
  configs: some('c', { source: 'c', target: '/etc/c.conf' }, { source: 'c', target: 'rel/path' }),
  secrets: some('s', { source: 's', target: '/data.key' }),
  depends_on: some(...names),
  scale: optional(1, 2, 20),
  restart: optional('no', 'always'),
  user: optional('1000:1000', 'node', '0'),
  working_dir: optional('/srv', '/'),
  container_name: optional('web', 'c1', 'C_1', 'db'),
  hostname: optional('h.local', 'db'),
  mem_limit: optional('64m', '1.5g', 0),
  cpus: optional(0.5, '0.001', 0),
  healthcheck: optional(
    { test: ['CMD', 'curl', '-f', 'http://localhost:3000/up?a=b c'] },
    { test: 'wget localhost', interval: '90m', retries: 0 },
    { test: ['CMD', 'check', '${A:-b}', '$$X ${{y}}'], interval: '5s', timeout: '90s' },
    { test: 'check && $$HOME/check "a b"', start_period: '1h' },
    { disable: true },
  ),
  deploy: optional(
    { mode: 'global' },
    { mode: 'replicated-job' },
    { resources: { limits: { cpus: '1' }, reservations: { memory: '8m' } } },
  ),
  shm_size: optional('1g', 1024, '64m'),
  tmpfs: optional('/t', ['/t:size=8m,mode=755,uid=5,gid=6,exec', '/u/'], ['/data:size=1t'], ['/v', { a: 1 }]),
  read_only: optional(true, false),
  stop_signal: optional('SIGQUIT', 'int', '9', 'SIGRTMIN+3'),
  stop_grace_period: optional('1m', '2s', '500ms'),
  ulimits: optional(
    { nofile: 1024 },
    { nofile: { soft: 10, hard: 1_000_000 }, core: -1, memlock: -1 },
    { stack: { hard: 9 } },
  ),
  group_add: optional([5, 'mail'], ['0']),
  extra_hosts: optional(['a.b=8.8.8.8', 'c:2606:4700::1111'], { db2: 'db', self: '127.0.0.1' }, ['own=web', 'w:x']),
  sysctls: optional({ 'net.core.somaxconn': 1024 }, ['net.ipv4.ip_local_port_range=2000  3000']),
  labels: optional({ a: 'b' }, ['c']),
  'x-berth': optional({ path: '/' }, { path: '/a/' }, { path: false }, { resourceType: 'statefulset' }, { port: 7 }),
});

test('in the native form, too, and with the same meaning', () => {
  let accepted = 0;
  const sameMeaning = fc.property(
    fc.dictionary(fc.constantFrom(...names), service, { minKeys: 1, maxKeys: 4 }),
    optional('My App', 'n8', 'shop.v2'),
    (services, name) => {
      const document = {
        name,
        services,
        volumes: { data: null },
        configs: { c: { content: 'a ${A} b' } },
        secrets: { s: { content: 'x' } },
      };
      const parsed = parseConfiguration(JSON.stringify(document));
      if (parsed.kind !== 'valid') return;
      accepted += 1;
      const native = parseConfiguration(printSpec(parsed.spec));
      assert.ok(
        native.kind === 'valid',
        JSON.stringify(native.diagnostics.filter(({ severity }) => severity === 'error')),
      );
      assert.deepEqual(native.spec, parsed.spec);
    },
  );
  // One in twenty is accepted: some 70 of 1500.
  const [numRuns, least] = inTier([[500, 15] as const], [[1500, 50] as const]).at(-1)!;
  for (let round = 0; round < 10 && accepted <= least; round++) fc.assert(sameMeaning, { numRuns });
  assert.ok(accepted > least, `only ${accepted} were accepted`);
});
