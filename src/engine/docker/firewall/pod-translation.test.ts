import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTargets, retargetText, translationText } from './pod-translation.ts';

test('a pod address with one workload takes one entry, and a shared one twelve', () => {
  const text = translationText('"brt-*"', new Map([['brt-a', { '100.64.0.1': ['10.0.0.2'] }]]));
  assert.equal(text.match(/"brt-a"/g)?.length, 1);
  const shared = translationText('"brt-*"', new Map([['brt-a', { '100.64.0.1': ['10.0.0.2', '10.0.0.3'] }]]));
  assert.equal(shared.match(/: 10\.0\.0\.2/g)?.length, 6);
  assert.equal(shared.match(/: 10\.0\.0\.3/g)?.length, 6);
});

test('a change names what differs alone, and another number of workloads changes the map', () => {
  const change = (before: string[], after: string[]) =>
    retargetText(
      't',
      'brt-a',
      { '100.64.0.1': before, '100.64.0.2': ['10.0.0.9'] },
      { '100.64.0.1': after, '100.64.0.2': ['10.0.0.9'] },
    );
  assert.equal(change(['10.0.0.2'], ['10.0.0.2']), '');
  assert.equal(
    change(['10.0.0.2'], ['10.0.0.3']),
    'delete element inet t pods { "brt-a" . 100.64.0.1 : 10.0.0.2 }\nadd element inet t pods { "brt-a" . 100.64.0.1 : 10.0.0.3 }',
  );
  const grown = change(['10.0.0.2'], ['10.0.0.2', '10.0.0.3']).split('\n');
  assert.equal(grown[0], 'delete element inet t pods { "brt-a" . 100.64.0.1 : 10.0.0.2 }');
  assert.equal(grown.filter((line) => line.startsWith('add element inet t shared_pods')).length, 12);
});

test('what nft lists is read back, of either map', () => {
  const single = readTargets([[{ concat: ['brt-a', '100.64.0.1'] }, '10.0.0.2']]);
  assert.deepEqual([...single], [['brt-a', { '100.64.0.1': ['10.0.0.2'] }]]);
  const shared = readTargets([
    [{ concat: ['brt-a', '100.64.0.1', 3190226945] }, '10.0.0.3'],
    [{ concat: ['brt-a', '100.64.0.1', 3190226944] }, '10.0.0.2'],
    [{ concat: ['brt-a', '100.64.0.1', 3190226946] }, '10.0.0.2'],
  ]);
  assert.deepEqual([...shared], [['brt-a', { '100.64.0.1': ['10.0.0.2', '10.0.0.3'] }]]);
  assert.deepEqual([...readTargets(undefined)], []);
});
