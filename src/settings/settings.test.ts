import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationUrl, describeSettings, readSettings, type Settings } from './settings.ts';

test('without any variable the defaults of the documentation apply', () => {
  const read = readSettings({});
  assert.ok(read.ok);
  assert.equal(read.settings.baseUrl.href, 'http://localhost:8080/');
  assert.equal(read.settings.lifetimeMs, 120 * 60_000);
  assert.equal(read.settings.listenPatienceMs, 60_000);
  assert.deepEqual(read.settings.startRate, { count: 10, windowMs: 60_000 });
});

test('every mistake has a line of its own, and none shows the secret key', () => {
  const read = readSettings({
    BERTH_PORT: '80a',
    BERTH_LIFETIME: '2 hours',
    BERTH_SECRET_KEY: 'short',
    BERTH_PROT: '1',
  });
  assert.ok(!read.ok);
  assert.deepEqual(read.mistakes, [
    'BERTH_PORT must be a whole number from 1 to 65535, not "80a"',
    'BERTH_LIFETIME must be a duration such as 30s, 120m or 24h, not "2 hours"',
    'BERTH_SECRET_KEY must have 32 characters or more',
    'BERTH_PROT is not a setting; `npm run serve -- --help` lists them',
  ]);
});

test('a missing setting of a group is reported, and secrets are not shown', () => {
  const read = readSettings({
    BERTH_GITHUB_CLIENT_ID: 'an app',
    BERTH_OIDC_ISSUER: 'https://login.example.com',
    BERTH_OIDC_CLIENT_SECRET: 'hunter2',
    BERTH_SMTP_URL: 'http://user:hunter2@mail.example.com',
  });
  assert.ok(!read.ok);
  assert.deepEqual(read.mistakes, [
    'BERTH_SMTP_URL must be an address such as smtp://user:password@mail.example.com:587',
    'BERTH_GITHUB_CLIENT_ID and BERTH_GITHUB_CLIENT_SECRET belong together; set BERTH_GITHUB_CLIENT_SECRET too',
    'BERTH_OIDC_ISSUER and BERTH_OIDC_CLIENT_ID and BERTH_OIDC_CLIENT_SECRET belong together; set BERTH_OIDC_CLIENT_ID too',
    'BERTH_SMTP_URL and BERTH_MAIL_FROM belong together; set BERTH_MAIL_FROM too',
  ]);
});

test('trusted proxies are addresses and networks, and never all addresses', () => {
  const read = (value: string) => readSettings({ BERTH_TRUSTED_PROXIES: value });
  const good = read('10.0.0.2, fd00::/8 proxy-protocol');
  assert.ok(good.ok);
  assert.deepEqual(good.settings.trustedProxies, ['10.0.0.2', 'fd00::/8']);
  assert.equal(good.settings.proxyProtocol, true);
  for (const value of ['0.0.0.0/0', '::/0', '10.0.0.0/33', 'proxy.example.com', '10.0.0.2,', '1.2.3']) {
    assert.equal(read(value).ok, false, value);
  }
  assert.equal(read('none proxy-protocol').ok, false);
});

test('a setting with fields keeps the default of each field that is missing', () => {
  const read = readSettings({ BERTH_CLIENT_LIMITS: 'starts=2/m', BERTH_CAPACITY: 'gpus=2', BERTH_EXTENSIONS: '1x30m' });
  assert.ok(read.ok);
  const { startRate, clientConnections, gpus, tenantsMemory, memory, extensions, extensionMs } = read.settings;
  assert.deepEqual([startRate.count, clientConnections, gpus, tenantsMemory], [2, 256, 2, undefined]);
  assert.deepEqual([memory, extensions, extensionMs], [{ share: 0.8 }, 1, 1_800_000]);
  assert.deepEqual(
    readSettings({ BERTH_TIMEOUTS: 'deploy=1', BERTH_IMAGE_LIMITS: 'sizes=1Gi', BERTH_EXTENSIONS: '2' }),
    {
      ok: false,
      mistakes: [
        'BERTH_EXTENSIONS must be a number and a duration such as 2x120m, or 0, not "2"',
        'BERTH_IMAGE_LIMITS may set size, unpacked, cache, pushed, each as name=value, not "sizes=1Gi"',
        'BERTH_TIMEOUTS (deploy) must be a duration such as 30s, 120m or 24h, not "deploy=1"',
      ],
    },
  );
});

test('the storage class and the snapshot class are each optional', () => {
  const read = (value: string) => {
    const { settings } = readSettings({ BERTH_STORAGE_CLASS: value }) as { settings: Settings };
    return [settings?.storageClass, settings?.snapshotClass];
  };
  assert.deepEqual(read('fast-ssd'), ['fast-ssd', undefined]);
  assert.deepEqual(read('fast-ssd snapshots=none'), ['fast-ssd', 'none']);
  assert.deepEqual(read('snapshots=disks'), [undefined, 'disks']);
  assert.deepEqual(read(''), [undefined, undefined]);
  for (const value of ['Fast', 'a b', 'a snapshots=', 'a snapshots=B'])
    assert.equal(readSettings({ BERTH_STORAGE_CLASS: value }).ok, false, value);
});

test('resolvers of applications are up to three addresses that containers can reach', () => {
  const read = (value: string) => readSettings({ BERTH_RESOLVERS: value });
  const [unset, set] = [read(''), read('9.9.9.9, 10.0.0.53')];
  assert.ok(unset.ok && set.ok);
  assert.deepEqual([unset.settings.resolvers, set.settings.resolvers], [undefined, ['9.9.9.9', '10.0.0.53']]);
  for (const value of ['127.0.0.53', '0.0.0.0', '::1', '2620:fe::fe', 'dns.quad9.net', '9.9.9.9:53', '9.9.9.0/24', ','])
    assert.equal(read(value).ok, false, value);
  assert.equal(read('1.1.1.1,8.8.8.8,9.9.9.9,1.0.0.1').ok, false, 'Docker uses at most three');
});

test('the help lists every setting with its default', () => {
  assert.match(describeSettings(), /BERTH_LIFETIME +120m +how long a free deployment lives/);
});

test('an application has the scheme and port of the service', () => {
  const url = applicationUrl({ baseUrl: new URL('https://berth.example.com'), appsDomain: 'apps.example.net' }, 'a-b');
  assert.equal(url.origin, 'https://a-b.apps.example.net');
});
