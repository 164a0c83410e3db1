import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostAliases } from './workload.ts';

test('names that a hosts file cannot have are left out, and the same names give the same lines', () => {
  const known = [
    { address: '10.96.0.2', aliases: ['web', 'web.pod', 'My_Web'] },
    { address: '10.96.0.1', aliases: ['db'] },
  ];
  const lines = [
    { ip: '10.96.0.1', hostnames: ['db'] },
    { ip: '10.96.0.2', hostnames: ['web', 'web.pod'] },
  ];
  assert.deepEqual(hostAliases(known), lines);
  assert.deepEqual(hostAliases(known.toReversed()), lines);
});
