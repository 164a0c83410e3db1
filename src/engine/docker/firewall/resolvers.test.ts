import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolversIn } from './isolate.ts';

test("the resolvers are those of the machine, of its own resolver, and of the engine's settings, each once", () => {
  const host = '# made by hand\nsearch lan\nnameserver 10.0.0.53\n nameserver 192.168.1.1 \nnameserver 127.0.0.53\n';
  const found = resolversIn(host, 'nameserver 10.0.0.53\nnameserver fe80::1%eth0', '{"dns": ["172.20.0.2", 5]}');
  assert.deepEqual(found, ['10.0.0.53', '172.20.0.2', '192.168.1.1']);
});

test('files that are not there or broken have none', () => {
  assert.deepEqual(resolversIn('', '', ''), []);
  assert.deepEqual(resolversIn('nameserver ; flush ruleset', 'nameserver', '{"dns": "10.0.0.1"}'), []);
});
