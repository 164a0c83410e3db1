import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgress } from '../../../deployment/workload/egress.ts';
import { readListing } from './listing.ts';
import { policyChain } from './rules.ts';

const table = { table: { family: 'inet', name: 'berth_me', handle: 7 } };
const rule = (handle: number, verdict: object) => ({ rule: { chain: 'leaving', handle, expr: [verdict] } });
const map = (...elem: unknown[]) => ({ map: { name: 'egress', type: 'ifname', handle: 9, map: 'verdict', elem } });
const set = (name: string, ...elem: unknown[]) => ({ set: { name, handle: 10, elem } });

function read(...objects: object[]) {
  return readListing(JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, table, ...objects] }));
}

test('the same rules have the same shape, with any handles and any order of policies', () => {
  const loaded = read(map(), set('paced'), rule(20, { drop: null }));
  const later = read(
    map(['brt-a', { goto: { target: 'egress_open' } }]),
    set('paced', { elem: { val: 'brt-a', expires: 3 } }),
    rule(31, { drop: null }),
  );
  assert.equal(later.shape, loaded.shape);
  assert.deepEqual([...later.bridges], [['brt-a', { chain: 'egress_open', turn: 0 }]]);
});

test('a rule or an address more, less or other has another shape', () => {
  const shapes = [
    read(set('reserved4', '10.0.0.0'), rule(1, { drop: null })),
    read(set('reserved4', '10.0.0.0'), rule(1, { accept: null })),
    read(set('reserved4', '10.0.0.0'), rule(1, { drop: null }), rule(2, { drop: null })),
    read(set('reserved4', '10.0.0.0')),
    read(set('reserved4', '10.0.0.1'), rule(1, { drop: null })),
    read(rule(1, { drop: null })),
  ].map(({ shape }) => shape);
  assert.equal(new Set(shapes).size, shapes.length);
});

test('a bridge with a foreign verdict does not have its policy', () => {
  const { bridges } = read(map(['brt-a', { accept: null }]));
  assert.deepEqual([...bridges], [['brt-a', { chain: '{"accept":null}', turn: 0 }]]);
});

test('the listing contains how often the policy of a bridge was decided', () => {
  const decided = { elem: { val: 'brt-a', comment: '3' } };
  const { bridges } = read(map([decided, { goto: { target: 'egress_none' } }]));
  assert.deepEqual([...bridges], [['brt-a', { chain: 'egress_none', turn: 3 }]]);
});

test('edges come and go without another shape, and each states its owner and its time left', () => {
  const there = read(
    set('edges', { elem: { val: 8080, timeout: 604_800, expires: 600_000, comment: 'a' } }, 81),
    set('edges4', { elem: { val: { concat: ['192.0.2.1', 443] }, timeout: 604_800, expires: 5, comment: 'b' } }),
  );
  assert.deepEqual(there.edges, [
    { port: 8080, of: 'a', leftSeconds: 600_000 },
    { port: 81, of: '' },
    { address: '192.0.2.1', port: 443, of: 'b', leftSeconds: 5 },
  ]);
  assert.equal(there.shape, read(set('edges'), set('edges4')).shape);
});

test('a list that another process has loaded is known by what its rules say, if its chain has that name', () => {
  const list = parseEgress('203.0.113.9/24:443,10.0.0.7')!;
  const said = (chain: string, comment: string) => ({ rule: { chain, comment, handle: 1, expr: [{ accept: null }] } });
  const chain = (name: string) => ({ chain: { name, handle: 2 } });
  const rules = (name: string) => [said(name, '203.0.113.9/24:443'), said(name, '10.0.0.7/32')];
  const { policies } = read(chain('egress_open'), chain(policyChain(list)), ...rules(policyChain(list)));
  assert.deepEqual(
    [...policies],
    [
      ['egress_open', { kind: 'open' }],
      [policyChain(list), list],
    ],
  );
  assert.deepEqual([...read(chain('egress_other'), ...rules('egress_other')).policies], []);
});
