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

function told(change: Record<string, string>) {
  const read = readSettings({ ...given, ...change });
  return read.ok ? tlsOf(read.settings) : read.mistakes;
}

test('with certificates HTTPS is served at the port of the base address, or where a setting says', () => {
  const files = [
    { certificate: '/etc/a.pem', key: '/etc/a.key' },
    { certificate: '/etc/b.pem', key: '/etc/b.key' },
  ];
  assert.deepEqual(told({}), { port: 443, publicPort: 443, files });
  assert.deepEqual(told({ BERTH_HTTPS_PORT: '8443' }), { port: 8443, publicPort: 443, files });
  assert.deepEqual(told({ BERTH_BASE_URL: 'https://berth.example.com:444' }), { port: 444, publicPort: 444, files });
});

test('without certificates nothing is served by HTTPS: whoever is in front does', () => {
  assert.equal(told({ BERTH_TLS_CERTIFICATE: '', BERTH_TLS_KEY: '' }), undefined);
});

test('what does not fit together is told', () => {
  assert.deepEqual(told({ BERTH_TLS_KEY: '/etc/a.key' }), [
    'BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY name as many files each, in the same order',
  ]);
  assert.deepEqual(told({ BERTH_TLS_CERTIFICATE: '' }), [
    'BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY name as many files each, in the same order',
  ]);
  assert.deepEqual(told({ BERTH_TLS_KEY: '/etc/a.key,' }), [
    'BERTH_TLS_KEY must be paths such as /etc/berth/api.pem,/etc/berth/apps.pem, not "/etc/a.key,"',
    'BERTH_TLS_CERTIFICATE and BERTH_TLS_KEY name as many files each, in the same order',
  ]);
  assert.deepEqual(told({ BERTH_BASE_URL: 'http://berth.example.com' }), [
    'BERTH_TLS_CERTIFICATE needs a BERTH_BASE_URL such as https://berth.example.com',
  ]);
  assert.deepEqual(told({ BERTH_PORT: '443' }), [
    'BERTH_PORT is that of HTTPS too (443): set it to another one, for HTTP, such as 80',
  ]);
  assert.deepEqual(told({ BERTH_TLS_CERTIFICATE: '', BERTH_TLS_KEY: '', BERTH_HTTPS_PORT: '8443' }), [
    'BERTH_HTTPS_PORT needs certificates: set BERTH_TLS_CERTIFICATE too',
  ]);
});
