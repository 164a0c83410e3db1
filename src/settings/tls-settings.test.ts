import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';
import { tlsOf } from './tls-settings.ts';

const given = {
  BERTH_BASE_URL: 'https://berth.example.com',
  BERTH_APPS_DOMAIN: 'apps.example.net',
  BERTH_TLS_CERTIFICATE: '/etc/a.pem, /etc/b.pem',
  BERTH_TLS_KEY: '/etc/a.key,/etc/b.key',
};

function tlsOfEnvironment(change: Record<string, string>) {
  const read = readSettings({ ...given, ...change });
  return read.ok ? tlsOf(read.settings) : read.mistakes;
}

test('with certificates HTTPS is served at the port of the base address, or where a setting says', () => {
  const files = [
    { certificate: '/etc/a.pem', key: '/etc/a.key' },
    { certificate: '/etc/b.pem', key: '/etc/b.key' },
  ];
  const from = { kind: 'files', files };
  assert.deepEqual(tlsOfEnvironment({}), { port: 443, publicPort: 443, from });
  assert.deepEqual(tlsOfEnvironment({ BERTH_HTTPS_PORT: '8443' }), { port: 8443, publicPort: 443, from });
  assert.deepEqual(tlsOfEnvironment({ BERTH_BASE_URL: 'https://berth.example.com:444' }), {
    port: 444,
    publicPort: 444,
    from,
  });
});

test('without certificates, the edge does not serve HTTPS', () => {
  assert.equal(tlsOfEnvironment({ BERTH_TLS_CERTIFICATE: '', BERTH_TLS_KEY: '' }), undefined);
});

test('contradictory settings are reported', () => {
  assert.deepEqual(tlsOfEnvironment({ BERTH_TLS_KEY: '/etc/a.key' }), [
    'BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY must name the same number of files, in the same order',
  ]);
  assert.deepEqual(tlsOfEnvironment({ BERTH_TLS_CERTIFICATE: '' }), [
    'BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY must name the same number of files, in the same order',
  ]);
  assert.deepEqual(tlsOfEnvironment({ BERTH_TLS_KEY: '/etc/a.key,' }), [
    'BERTH_TLS_KEY must be paths such as /etc/berth/api.pem,/etc/berth/apps.pem, not "/etc/a.key,"',
    'BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY must name the same number of files, in the same order',
  ]);
  assert.deepEqual(tlsOfEnvironment({ BERTH_BASE_URL: 'http://berth.example.com' }), [
    'BERTH_TLS_CERTIFICATE needs a BERTH_BASE_URL such as https://berth.example.com',
  ]);
  assert.deepEqual(tlsOfEnvironment({ BERTH_PORT: '443' }), [
    'BERTH_PORT is the same as the HTTPS port (443): set it to another port for HTTP, such as 80',
  ]);
  assert.deepEqual(tlsOfEnvironment({ BERTH_TLS_CERTIFICATE: '', BERTH_TLS_KEY: '', BERTH_HTTPS_PORT: '8443' }), [
    'BERTH_HTTPS_PORT needs certificates: set BERTH_TLS_CERTIFICATE or BERTH_ACME too',
  ]);
});

const issued = {
  BERTH_TLS_CERTIFICATE: '',
  BERTH_TLS_KEY: '',
  BERTH_ACME: 'https://ca.example.com/directory terms=accepted',
};

test('with an authority HTTPS is served as with files, and the hook is a list of words', () => {
  const authority = {
    directory: new URL('https://ca.example.com/directory'),
    email: 'a@example.com',
    root: undefined,
    dnsHook: ['/etc/berth/hook', '--zone', "it's $HOME"],
    dnsPersist: false,
    maxInWeek: 50,
  };
  const given = { BERTH_OPERATOR_MAIL: 'a@example.com', BERTH_ACME_DNS: `/etc/berth/hook --zone "it's $HOME"` };
  assert.deepEqual(tlsOfEnvironment({ ...issued, ...given }), {
    port: 443,
    publicPort: 443,
    from: { kind: 'authority', authority },
  });
});

test('contradictory settings of a certificate authority are reported', () => {
  const directory = 'https://ca.example.com/directory';
  assert.deepEqual(tlsOfEnvironment({ ...issued, BERTH_ACME: directory }), [
    `BERTH_ACME must have terms=accepted, which states that you accept the authority's terms, not "${directory}"`,
  ]);
  assert.deepEqual(tlsOfEnvironment({ BERTH_ACME: issued.BERTH_ACME }), [
    'BERTH_ACME and BERTH_TLS_CERTIFICATE cannot be combined',
  ]);
  assert.deepEqual(
    tlsOfEnvironment({ ...issued, BERTH_BASE_URL: 'https://203.0.113.7', BERTH_APPS_DOMAIN: 'localhost' }),
    ['BERTH_ACME needs public DNS names, not 203.0.113.7 and localhost'],
  );
  assert.deepEqual(tlsOfEnvironment({ BERTH_ACME_DNS: 'persist' }), ['BERTH_ACME_DNS needs BERTH_ACME']);
  assert.deepEqual(tlsOfEnvironment({ ...issued, BERTH_ACME: 'http://ca.example.com/', BERTH_ACME_DNS: 'hook' }), [
    'BERTH_ACME must be an address such as https://ca.example.com/directory, not "http://ca.example.com/"',
    'BERTH_ACME_DNS must be a command with an absolute path, such as /etc/berth/dns-hook, or persist, not "hook"',
  ]);
});
