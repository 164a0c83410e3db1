import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { site } from '../../test/support/edge.ts';
import type { Site } from '../deployment/site.ts';
import { canonicalPath, hostsOf } from './route-maps.ts';

const hosts = (...sites: Site[]) => hostsOf(sites).hosts;

test('a host has an id, and under it numbered routes, and under these the addresses', () => {
  const [[host, found] = []] = [
    ...hosts(site('Shop.Test.', { '/api': ['10.200.0.4', '10.200.0.3'], '/': '10.200.0.2' }, 3000)),
  ];
  assert.equal(host, 'shop.test');
  const { id, routes, endpoints } = found!;
  assert.match(id, /^[\w-]{16}$/);
  assert.deepEqual(routes, [`${id}/ 0:1`, `${id}/api/ 1:2`]);
  assert.deepEqual(endpoints, [`${id}/0/0 10.200.0.2:3000`, `${id}/1/0 10.200.0.3:3000`, `${id}/1/1 10.200.0.4:3000`]);
});

test('a route says whether it is sticky, and an endpoint how many segments it does not receive', () => {
  const plain = site('shop.test', { '/a/b': ['10.0.0.1', '10.0.0.2'], '/': '10.0.0.3' }, 80);
  const endpoints = plain.endpoints.map((each) => ({ ...each, stripPrefix: true as const, sticky: true as const }));
  const found = hosts({ ...plain, endpoints }).get('shop.test')!;
  const withoutId = (entries: readonly string[]) => entries.map((entry) => entry.replace(found.id, ''));
  assert.deepEqual(withoutId(found.routes), ['/ 0:1:sticky', '/a/b/ 1:2:sticky']);
  assert.deepEqual(withoutId(found.endpoints), ['/0/0 10.0.0.3:80', '/1/0 10.0.0.1:80:2', '/1/1 10.0.0.2:80:2']);
  assert.notEqual(found.id, hosts(plain).get('shop.test')!.id);
});

test('the order of endpoints changes nothing', () => {
  const one = site('a.test', { '/': ['10.0.0.1', '10.0.0.2'], '/x': '10.0.0.3' }, 80);
  assert.deepEqual(hosts(one), hosts({ host: one.host, endpoints: [...one.endpoints].reverse() }));
});

test('an id stands for its host and its whole target', () => {
  const sites = [
    site('a.test', { '/': '10.0.0.1' }, 80),
    site('b.test', { '/': '10.0.0.1' }, 80),
    site('a.test', { '/': '10.0.0.2' }, 80),
    site('a.test', { '/x': '10.0.0.1' }, 80),
    site('a.test', { '/': '10.0.0.1' }, 81),
    site('a.test', { '/': ['10.0.0.1', '10.0.0.2'] }, 80),
    site('a.test', { '/': '10.0.0.1', '/x': '10.0.0.2' }, 80),
  ];
  const ids = sites.map((each) => [...hosts(each).values()][0]!.id);
  assert.equal(new Set(ids).size, sites.length);
});

test('a host belongs to the first site that has it, and is never merged', () => {
  const { hosts, refused } = hostsOf([
    site('a.test', { '/': '10.0.0.1' }, 80),
    site('A.test:80', { '/x': '10.0.0.2' }, 80),
  ]);
  assert.deepEqual([...hosts.keys()], ['a.test']);
  assert.equal(hosts.get('a.test')?.routes.length, 1);
  assert.deepEqual(refused, [{ host: 'A.test:80', because: 'host already taken' }]);
});

test('one bad endpoint does not cost the site its others', () => {
  const endpoints = [
    { path: '/', address: '10.0.0.1', port: 80 },
    { path: 'x', address: '10.0.0.1', port: 80 },
    { path: '/a/../b', address: '10.0.0.1', port: 80 },
    { path: '/p', address: '10.0.0.1', port: 65536 },
    { path: '/p', address: '0.0.0.0', port: 80 },
    { path: '/p', address: '10.0.0.1:22 x', port: 80 },
  ];
  const { hosts, refused } = hostsOf([{ host: 'a.test', endpoints }]);
  assert.equal(hosts.get('a.test')?.endpoints.length, 1);
  assert.deepEqual(
    refused.map(({ because }) => because),
    ['not a path', 'not a path', 'not an address and port', 'not an address and port', 'not an address and port'],
  );
});

test('a host that leads nowhere is known as such', () => {
  assert.deepEqual([...hosts({ host: 'a.test', endpoints: [] })], [['a.test', undefined]]);
});

test('a path is spelled as a normalised request spells it', () => {
  const spellings = {
    '/': '/',
    '/api': '/api',
    '/api/': '/api',
    '/%61pi': '/api',
    '/API': '/API',
    '/café menu': '/caf%C3%A9%20menu',
    '/caf%c3%a9': '/caf%C3%A9',
    '/a%2fb': '/a%2Fb',
    '/50%': '/50%25',
    '/%zz': '/%25zz',
    '/a#b?c': '/a%23b%3Fc',
    "/it's;x=1": "/it's;x=1",
    '/a\nb "c"': '/a%0Ab%20%22c%22',
    '/a//b': '/a//b',
  };
  for (const [path, canonical] of Object.entries(spellings)) assert.equal(canonicalPath(path), canonical);
  for (const path of ['', 'api', '//api', '/..', '/a/.', '/a/%2e%2e/b', `/${'a'.repeat(2048)}`])
    assert.equal(canonicalPath(path), undefined, path.slice(0, 40));
});

test('a canonical path stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const once = canonicalPath(`/${text}`);
      if (once) assert.equal(canonicalPath(once), once);
    }),
  );
});

test('no value, however hostile, makes a line that is not its own', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'b.test/ x:1',
      'a\nb.test/ x:1',
      '/x\nb.test/ y:1',
      '/ \r\n#',
      '/"; commit map',
      '/<<\n\n',
      '/\u2028b',
      '/\0',
    ),
    fc.string({ minLength: 1, maxLength: 40 }).map((text) => `/${text}`),
  );
  const address = fc.oneof(fc.ipV4(), hostile);
  const endpoint = fc.record({ path: hostile, address, port: fc.oneof(fc.integer(), fc.double()) });
  const sites = fc.array(fc.record({ host: fc.oneof(hostile, fc.domain()), endpoints: fc.array(endpoint) }));
  fc.assert(
    fc.property(sites, (random) => {
      const victim = site('victim.test', { '/': '10.9.9.9' }, 80);
      const { hosts } = hostsOf([victim, ...random]);
      for (const [host, found] of hosts) {
        assert.match(host, /^[a-z0-9._-]+$/);
        for (const line of found?.routes ?? []) assert.match(line, /^[\w-]{16}\/[!-~]* \d+:\d+$/);
        for (const line of found?.endpoints ?? []) assert.match(line, /^[\w-]{16}\/\d+\/\d+ \d+\.\d+\.\d+\.\d+:\d+$/);
      }
      assert.deepEqual(hosts.get('victim.test'), hostsOf([victim]).hosts.get('victim.test'));
    }),
    { numRuns: 300 },
  );
});
