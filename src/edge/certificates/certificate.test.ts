import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { before, test } from 'node:test';
import { type Authority, makeAuthority, type Pair } from '../../../test/support/certificate.ts';
import { type Certificate, readCertificate, uncovered } from './certificate.ts';

const now = Date.now();
let authority: Authority;
let pair: Pair;
let other: Pair;
before(async () => {
  authority = await makeAuthority();
  [pair, other] = await Promise.all([
    authority.issue(['DNS:berth.test', 'DNS:*.apps.test', 'IP:192.0.2.1']),
    authority.issue(['DNS:other.test']),
  ]);
});

const blocks = (pem: string) => pem.match(/-----BEGIN[\s\S]+?-----END [A-Z ]+-----\n/g)!;

function read(certificate: string, key: string, at = now): Certificate {
  const reading = readCertificate(certificate, key, at);
  assert.ok(reading.ok, reading.ok ? '' : reading.because);
  return reading.certificate;
}

function refusal(certificate: string, key: string, at = now): string {
  const reading = readCertificate(certificate, key, at);
  assert.ok(!reading.ok, 'it is refused');
  return reading.because;
}

test('a chain with its key is served as PEM without an empty line, with any text around its blocks', () => {
  const [leaf, issuer] = blocks(pair.cert);
  const { pem } = read(`# ours\n\n${leaf}\r\n\n subject=…\n${issuer!.replaceAll('\n', '\r\n\r\n')}`, `\n${pair.key}\n`);
  assert.equal(pem.match(/-----BEGIN CERTIFICATE-----/g)!.length, 2);
  assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[\s\S]*-----END PRIVATE KEY-----\n$/);
  assert.doesNotMatch(pem, /\n\n|\r|#|subject/);
  assert.deepEqual(read(pem, pem).pem, pem, 'chain and key may be one file');
});

test('keys of OpenSSL before its version 1, and of RSA, are taken too', async () => {
  const old = createPrivateKey(pair.key).export({ type: 'sec1', format: 'pem' });
  assert.equal(
    read(pair.cert, `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${old}`).pem,
    read(pair.cert, pair.key).pem,
  );
  const rsa = await authority.issue(['DNS:berth.test'], { kind: 'rsa' });
  assert.match(
    read(rsa.cert, String(createPrivateKey(rsa.key).export({ type: 'pkcs1', format: 'pem' }))).pem,
    /BEGIN PRIVATE KEY/,
  );
});

test('what cannot be served is refused in words, which never hold a piece of the key', async () => {
  const [leaf, issuer] = blocks(pair.cert);
  const garbled = leaf!.replace(/\n[A-Za-z0-9+/]{20}/, '\n');
  const encrypted = String(
    createPrivateKey(pair.key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
  );
  const strange = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const weak = String(
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const long = await authority.issue(Array.from({ length: 600 }, (_, index) => `DNS:host-${index}.apps.test`));
  const year = 365 * 24 * 3_600_000;
  const cases: [string, string, RegExp, number?][] = [
    ['', pair.key, /^the certificate file holds no certificate in PEM form$/],
    [pair.key, pair.key, /^the certificate file holds no certificate/],
    [garbled, pair.key, /^certificate 1 of the file cannot be read$/],
    [leaf + blocks(other.cert)[0]!, pair.key, /^its chain is broken: certificate 2 of the file did not issue/],
    [issuer! + leaf, pair.key, /^the private key belongs to another certificate$/],
    [pair.cert, other.key, /^the private key belongs to another certificate$/],
    [pair.cert, '', /^the key file holds no private key in PEM form$/],
    [pair.cert, pair.key + other.key, /^the key file holds several private keys$/],
    [pair.cert, pair.key.replace(/\n[A-Za-z0-9+/]{20}/, '\n'), /^the private key cannot be read$/],
    [pair.cert, encrypted, /^the private key is encrypted/],
    [pair.cert, strange, /^a private key of the kind ed25519 is of no use/],
    [pair.cert, weak, /^its RSA key has 1024 bits; 2048 are the least$/],
    [pair.cert, pair.key, /^it has expired on \d{4}-/, now + year],
    [pair.cert, pair.key, /^it is not valid before \d{4}-/, now - year],
    [pair.cert + issuer!, pair.key, /^its chain is broken: certificate 3 of the file did not issue/],
    [long.cert, long.key, /^certificate, chain and key are longer than 15000 bytes$/],
  ];
  for (const [certificate, key, expected, at] of cases) {
    const because = refusal(certificate, key, at);
    assert.match(because, expected);
    for (const line of key.split('\n').filter((line) => line.length > 20)) assert.ok(!because.includes(line), because);
  }
});

test('a wildcard is for each name directly below, an address for itself, and what is missing is named', () => {
  const certificates = [read(pair.cert, pair.key), read(other.cert, other.key)];
  assert.deepEqual(uncovered(certificates, ['berth.test', '*.apps.test', '192.0.2.1', 'other.test']), []);
  const missing = ['apps.test', '*.berth.test', '*.a.apps.test', '192.0.2.2', '[2001:db8::1]', 'another.test'];
  assert.deepEqual(uncovered(certificates, missing), missing);
});
