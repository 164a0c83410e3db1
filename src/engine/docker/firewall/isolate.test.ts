import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isolationMessage } from './isolate.ts';

test('what keeps the rules away is said as the one thing that is missing', () => {
  const words = (missing: string) => isolationMessage({ message: `${missing}: spawn ${missing} ENOENT`, missing });
  assert.equal(words('nft'), 'nft is not installed: install nftables');
  assert.equal(words('ip'), 'ip is not installed: install iproute2 (Fedora: iproute)');
  assert.equal(words('sudo'), 'it requires root, or sudo without a password');
});

test('without the privileges the error says that root is required', () => {
  const message = 'sudo: a password is required';
  assert.equal(isolationMessage({ message, missing: undefined }), `it takes root (${message})`);
});
