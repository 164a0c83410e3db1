import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readListing } from './listing.ts';

const table = { table: { family: 'inet', name: 'berth_me', handle: 7 } };
const rule = (handle: number, verdict: object) => ({ rule: { chain: 'leaving', handle, expr: [verdict] } });
const map = (...elem: unknown[]) => ({ map: { name: 'egress', type: 'ifname', handle: 9, map: 'verdict', elem } });
const set = (name: string, ...elem: unknown[]) => ({ set: { name, handle: 10, elem } });

function read(...objects: object[]) {
  return readListing(JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, table, ...objects] }));
}

test('the same rules have the same shape, whatever their handles, whoever has got which policy meanwhile', () => {
  const loaded = read(map(), set('paced'), rule(20, { drop: null }));
  const later = read(
    map(['brt-a', { goto: { target: 'egress_open' } }]),
    set('paced', { elem: { val: 'brt-a', expires: 3 } }),
    rule(31, { drop: null }),
  );
  assert.equal(later.shape, loaded.shape);
  assert.deepEqual([...later.bridges], [['brt-a', 'egress_open']]);
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

test('a bridge that somebody has given another verdict does not have its policy', () => {
  assert.deepEqual([...read(map(['brt-a', { accept: null }])).bridges], [['brt-a', '{"accept":null}']]);
});
