import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { installationGroup, scoreOf, usualLimit } from './layout.ts';

const mebi = 2 ** 20;
const gibi = 2 ** 30;

test('the group of an installation is a path, or a slice with systemd', () => {
  assert.deepEqual(installationGroup('cgroupfs', 'test-me'), { parent: '/berth-test-me', path: 'berth-test-me' });
  assert.deepEqual(installationGroup('systemd', 'test-me'), {
    parent: 'berth-test_me.slice',
    path: 'berth.slice/berth-test_me.slice',
  });
});

test('the machine keeps a tenth of its memory, and 1 GiB if that is at most a fifth', () => {
  const keptTenths = [24, 8, 4, 1].map((size) => Math.round((10 * (size * gibi - usualLimit(size * gibi))) / gibi));
  assert.deepEqual(keptTenths, [24, 10, 8, 2]);
});

test('of two processes, the one of a container above its request is killed before the one of a container below', () => {
  // The kernel's calculation: size, and the score in thousandths of the total.
  const all = 1000 * mebi;
  const badness = (size: number, requested: number) => size * mebi + (scoreOf(requested * mebi, all) * all) / 1000;
  assert.ok(badness(100, 32) > badness(200, 256));
  assert.ok(badness(40, 32) > badness(120, 128));
});

test('every container is killed before the programs of the machine', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), (requested, all) => {
      const score = scoreOf(requested, all);
      assert.ok(Number.isInteger(score) && score >= 500 && score < 1000);
    }),
  );
});
