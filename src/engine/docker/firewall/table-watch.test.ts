import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concerns } from './nft.ts';

test('messages about a table concern it; messages about one with a longer name do not', () => {
  const concerning = [
    'add table inet berth_a',
    'delete table inet berth_a',
    'add element inet berth_a egress { "brt-1" : goto egress_open }',
    '# ERROR: We lost some netlink events!',
  ];
  const others = [
    'add table inet berth_ab',
    'add rule ip berth_a forward accept',
    '# new generation 7 by process 4 (nft)',
  ];
  assert.deepEqual(
    [...concerning, ...others].filter((line) => concerns(line, 'berth_a')),
    concerning,
  );
});
