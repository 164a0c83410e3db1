import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstScore, type HeldByDeployment, scoreOf, whoGoesFirst } from './goes-first.ts';

const mebi = 2 ** 20;

function deployment(deploymentId: string, ...containers: [held: number, requested: number][]): HeldByDeployment {
  return {
    deploymentId,
    containers: containers.map(([held, requested], index) => ({
      id: `${deploymentId}${index}`,
      heldBytes: held * mebi,
      requestedBytes: requested * mebi,
    })),
  };
}

const first = (deployments: HeldByDeployment[], held: number, limit: number) =>
  [...whoGoesFirst(deployments, held * mebi, limit * mebi)].sort();

test('nobody goes first while there is memory left', () => {
  assert.deepEqual(first([deployment('a', [400, 32])], 400, 1000), []);
});

test('when it is tight, the deployment goes first that holds most beyond its requests, however it is spread', () => {
  const attacker = deployment('attacker', [150, 32], [150, 32], [20, 32], [150, 32]);
  const neighbour = deployment('neighbour', [200, 64]);
  assert.deepEqual(first([neighbour, attacker], 670, 1000), ['attacker0', 'attacker1', 'attacker3']);
});

test('several that take as much as they can go first together', () => {
  assert.deepEqual(first([deployment('a', [400, 32]), deployment('b', [350, 32])], 800, 1000), ['a0', 'b0']);
});

test('who holds no more than was requested never goes first, and somebody who does always is there', () => {
  const container = fc.tuple(fc.nat(1000), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(fc.array(container), { maxLength: 5 }), (all) => {
      const deployments = all.map((containers, index) => deployment(`d${index}-`, ...containers));
      const chosen = whoGoesFirst(deployments, 1, 1);
      const containers = deployments.flatMap((each) => each.containers);
      const isAbove = ({ heldBytes, requestedBytes }: (typeof containers)[number]) => heldBytes > requestedBytes;
      assert.ok(containers.filter(({ id }) => chosen.has(id)).every(isAbove));
      assert.equal(chosen.size > 0, containers.some(isAbove));
    }),
  );
});

test('of two processes, the one of a container above its request is killed before the one of a container below', () => {
  // As the kernel reckons: size, and the score in thousandths of all.
  const all = 1000 * mebi;
  const badness = (size: number, requested: number) => size * mebi + (scoreOf(requested * mebi, all) * all) / 1000;
  assert.ok(badness(100, 32) > badness(200, 256));
  assert.ok(badness(40, 32) > badness(120, 128));
});

test('every tenant goes before the machine and after whoever goes first', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), (requested, all) => {
      const score = scoreOf(requested, all);
      assert.ok(Number.isInteger(score) && score >= 500 && score < firstScore);
    }),
  );
});
