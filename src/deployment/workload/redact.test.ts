import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, specOf } from '../../../test/support/deployments.ts';
import { redactorOf } from './redact.ts';

const environment = {
  DB_PASSWORD: 'hunter2',
  DATABASE_URL: 'postgresql://shop:s3cret@db.pod/shop',
  MODE: 'production',
  PIN_KEY: '12',
};
const spec = {
  ...specOf(
    pod('api', {
      files: [
        { path: '/run/key', content: 'line-one\nline-two\n', isSecret: true },
        { path: '/app/a.js', content: 'plain', isSecret: false },
      ],
    }),
  ),
  registryLogin: { registry: 'ghcr.io', username: 'me', personalAccessToken: 'hunter2-token' },
};
const redact = redactorOf(spec, [environment]);

test('passwords, tokens, secret files and passwords in addresses are replaced, longest first', () => {
  const text = 'with hunter2, hunter2-token, s3cret and line-two';
  assert.equal(redact(text), 'with [redacted], [redacted], [redacted] and [redacted]');
});

test('texts that are not secrets, or too short to be distinguished, stay', () => {
  assert.equal(redact('production plain 12'), 'production plain 12');
});

test('a secret is kept back as JSON, in an address, and in base64 wherever it stands there', () => {
  const secret = 'p"ss\\wörd+/?';
  const redact = redactorOf(specOf(pod('web')), [{ PASSWORD: secret }]);
  assert.equal(redact(JSON.stringify({ secret })), '{"secret":"[redacted]"}');
  assert.equal(redact(`/?a=${encodeURIComponent(secret)}&b`), '/?a=[redacted]&b');
  for (const before of ['', 'x', 'xy', 'xyz', 'user:']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const reported = redact(`Basic ${Buffer.from(`${before}${secret}.`).toString(encoding)}`);
      assert.match(reported, /^Basic .{0,7}\[redacted\].{0,4}$/, `${encoding} after "${before}"`);
    }
  }
});

test('a secret of which only the beginning was kept, before a text was cut off, is hidden too', () => {
  const redact = redactorOf(specOf(pod('web')), [{ API_KEY: 'very-secret-0123' }]);
  assert.equal(redact('it says: very-secr…'), 'it says: [redacted]…');
  assert.equal(redact('it says: ver…'), 'it says: ver…');
  assert.equal(redact('it says: very-secr'), 'it says: very-secr');
});

test('of thousands of secrets each is replaced where it stands, the longest of those that begin alike', () => {
  const content = Array.from({ length: 5_000 }, (_, index) => `key-${index}`).join('\n');
  const files = [{ path: '/run/keys', content, isSecret: true }];
  const redact = redactorOf(specOf(pod('web', { files })), []);
  assert.equal(redact('key-1, key-4999; key and key-x'), '[redacted], [redacted]; key and key-x');
  for (const index of [0, 7, 77, 777, 4_321]) assert.equal(redact(`<key-${index}>`), '<[redacted]>');
});
