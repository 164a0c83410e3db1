import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyConfiguration } from './haproxy-configuration.ts';

const settings = {
  dataDir: '/srv/it\'s "here" $HOME %[src]',
  host: '127.0.0.1',
  port: 8080,
  apiHosts: ['Berth.Test:8080', '[::1]'],
  trustedProxies: [],
  networkPool: '10.200.0.0/13',
  proxyProtocol: false,
  limits: { connectionsPerClient: 256, requestTimeoutMs: 15_000 },
  guessRate: { count: 100_000, windowMs: 60_000 },
};
const text = (change = {}, asRoot = true) =>
  proxyConfiguration({ ...settings, ...change }, asRoot).files['haproxy.cfg']!;

test('the same settings make the same fingerprint, others another', () => {
  const fingerprints = [{}, {}, { port: 8081 }, { apiHosts: ['x.test'] }].map(
    (change) => proxyConfiguration({ ...settings, ...change }, true).fingerprint,
  );
  assert.equal(new Set(fingerprints).size, 3);
  assert.match(text(), new RegExp(`description ${fingerprints[0]}`));
});

test('the data directory is not in the configuration', () => {
  assert.doesNotMatch(text(), /srv|HOME|"here"/);
});

test('hosts of the API are compared as requests are', () => {
  assert.match(text(), /acl api var\(txn\.host\) -m str berth\.test \[::1\]\n/);
});

test('an address is listened on as it is meant', () => {
  const binds = ['0.0.0.0', '*', 'localhost', '::', '::1', '[::1]'].map(
    (host) => /^ {2}(bind .*)$/m.exec(text({ host }))?.[1],
  );
  assert.deepEqual(binds, [
    'bind 0.0.0.0:8080',
    'bind *:8080',
    'bind localhost:8080',
    'bind 0.0.0.0:8080',
    'bind ipv6@::1:8080',
    'bind ipv6@::1:8080',
  ]);
});

test('started by root it locks itself in, started by another it cannot', () => {
  assert.match(text({}, true), /user haproxy\n {2}group haproxy\n {2}chroot \.\.\/run\n/);
  assert.match(text({}, true), /server api unix@\/api\.sock/);
  assert.doesNotMatch(text({}, false), /^ {2}(user|group|chroot) /m);
  assert.match(text({}, false), /server api unix@\.\.\/run\/api\.sock/);
});

test('a client that trickles its headers is cut off after 15 seconds, a silent tunnel after an hour', () => {
  assert.match(text(), /timeout http-request 15000\n/);
  assert.match(text(), /timeout tunnel 1h/);
});
