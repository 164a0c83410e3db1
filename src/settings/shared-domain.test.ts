import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';
import { sharedDomain } from './shared-domain.ts';

test('what browsers call one site is found by the Public Suffix List', () => {
  const rows: [api: string, apps: string, shared: string | undefined][] = [
    ['https://berth.example.net', 'example.net', 'example.net'],
    ['https://berth.example.net', 'apps.example.net', 'example.net'],
    ['https://example.net', 'apps.example.net', 'example.net'],
    ['https://berth.apps.example.net', 'apps.example.net', 'example.net'],
    ['https://berth.example.co.uk', 'apps.example.co.uk', 'example.co.uk'],
    ['https://berth.example.net', 'apps.example.com', undefined],
    ['https://one.co.uk', 'two.co.uk', undefined],
    ['https://me.github.io', 'github.io', undefined],
    ['https://berth.github.io', 'apps.berth.github.io', 'berth.github.io'],
    ['http://berth.10.0.0.1.nip.io', '10.0.0.1.nip.io', 'nip.io'],
    ['http://10.0.0.1', '10.0.0.1.nip.io', undefined],
    ['http://[::1]:8080', 'localhost', undefined],
    ['http://localhost:8080', 'localhost', undefined],
    ['http://berth.localhost', 'localhost', undefined],
    ['http://berth.apps.localhost', 'apps.localhost', 'apps.localhost'],
    ['http://berth.lan', 'apps.lan', undefined],
    ['http://berth.lan', 'lan', undefined],
    ['http://berth.home.lan', 'apps.home.lan', 'home.lan'],
  ];
  for (const [api, appsDomain, shared] of rows)
    assert.equal(sharedDomain({ baseUrl: new URL(api), appsDomain }), shared, `${api} and ${appsDomain}`);
});

test('an apps domain of the same site as the API is refused, unless the operator insists', () => {
  const read = (env: Record<string, string>) => {
    const settings = readSettings({
      BERTH_BASE_URL: 'https://berth.example.net',
      BERTH_APPS_DOMAIN: 'example.net',
      ...env,
    });
    return settings.ok ? [] : settings.mistakes;
  };
  assert.deepEqual(read({}), [
    "BERTH_APPS_DOMAIN (example.net) and BERTH_BASE_URL (berth.example.net) both belong to example.net, so that an application's page could set cookies of the dashboard; use a separate domain for applications or for the API (an IP address works). If you are the only user, set BERTH_ALLOW_UNSAFE=domain to start without this check",
  ]);
  assert.equal(read({ BERTH_ALLOW_UNSAFE: 'firewall' }).length, 1);
  assert.deepEqual(read({ BERTH_ALLOW_UNSAFE: 'domain' }), []);
  assert.deepEqual(read({ BERTH_ALLOW_UNSAFE: '1' }), []);
  assert.deepEqual(read({ BERTH_APPS_DOMAIN: 'apps.example.com' }), []);
});

test('BERTH_ALLOW_UNSAFE is 0, 1 or a list of checks', () => {
  const allowed = (value: string) => {
    const read = readSettings({ BERTH_ALLOW_UNSAFE: value });
    return read.ok ? read.settings.allowUnsafe : undefined;
  };
  assert.deepEqual(allowed('0'), []);
  assert.deepEqual(allowed('1'), ['firewall', 'domain']);
  assert.deepEqual(allowed('domain'), ['domain']);
  assert.deepEqual(allowed('firewall,domain'), ['firewall', 'domain']);
  assert.deepEqual(allowed('cluster'), ['cluster']);
  for (const wrong of ['2', 'yes', 'domain,', 'all']) assert.equal(allowed(wrong), undefined, wrong);
});
