import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, shopOnMemory, spec, stateOf } from '../../../test/support/controlled-deployment.ts';
import { deploymentOf } from '../../../test/support/deployments.ts';
import { createTestEngine } from '../../../test/support/memory-engine.ts';
import type { PullTerms } from '../../deployment/limits/pull-limits.ts';
import { createPullTurns, pullInTurn } from './pull-turns.ts';

const never = new AbortController().signal;

/** Pulls that run until the test ends them, of clients with two slots each. */
function scene() {
  const turns = createPullTurns();
  const reported: string[] = [];
  const ends = new Map<string, () => void>();
  const terms = (client: string): PullTerms => ({ client, atOnce: 2, image: { unpackedBytes: 7, by: 'in a test' } });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    reported,
    settled,
    begin(client: string, id: string, signal: AbortSignal = never) {
      const pulls = { turns, termsOf: async () => terms(client) };
      const waited = async () => void reported.push(`${id} waited`);
      return pullInTurn(deploymentOf({ id }), { pulls, signal, waited }, async (limits) => {
        reported.push(`${id} of ${limits?.unpackedBytes}`);
        await new Promise<void>((resolve) => ends.set(id, resolve));
      });
    },
    async end(id: string) {
      ends.get(id)!();
      await settled();
    },
  };
}

test('only a client that requests more concurrent images than allowed waits, and in order', async () => {
  const { begin, end, reported, settled } = scene();
  const all = [begin('a', '1'), begin('a', '2'), begin('a', '3'), begin('a', '4'), begin('b', '5')];
  await settled();
  assert.deepEqual(reported, ['1 of 7', '2 of 7', '5 of 7']);
  await end('2');
  assert.deepEqual(reported.slice(3), ['3 waited', '3 of 7']);
  await end('1');
  assert.deepEqual(reported.slice(5), ['4 waited', '4 of 7']);
  for (const id of ['3', '4', '5']) await end(id);
  await Promise.all(all);
});

test('one that is given up while it waits takes no place, and one that fails gives its place back', async () => {
  const { begin, end, reported, settled } = scene();
  const first = [begin('a', '1'), begin('a', '2')];
  await settled();
  const givenUp = new AbortController();
  const third = begin('a', '3', givenUp.signal);
  const fourth = begin('a', '4');
  await settled();
  givenUp.abort(new Error('removed'));
  await assert.rejects(third, /removed/);
  await end('1');
  assert.deepEqual(reported, ['1 of 7', '2 of 7', '4 waited', '4 of 7']);
  for (const id of ['2', '4']) await end(id);
  await Promise.all([...first, fourth]);

  const turns = createPullTurns();
  const pulls = { turns, termsOf: async (): Promise<PullTerms> => ({ client: 'c', atOnce: 1, image: { by: '' } }) };
  const turn = { pulls, signal: never, waited: async () => {} };
  for (let tries = 0; tries < 2; tries++)
    await assert.rejects(
      pullInTurn(deploymentOf({}), turn, () => Promise.reject(new Error('refused'))),
      /refused/,
    );
});

test('without a store of images, a start brings its image in its turn, and that may have what the plan says', async () => {
  const shop = await shopOnMemory(spec, images);
  const terms: PullTerms = { client: 'c', atOnce: 1, image: { compressedBytes: 5, by: 'in a test' } };
  shop.control.pulls = { turns: createPullTurns(), termsOf: async () => terms };
  const reported: [kind: string, maxBytes: number | undefined][] = [];
  await shop.visit((engine) => {
    const { world, clock } = shop;
    const wait = async (ms: number) => clock.pass(ms);
    const without = createTestEngine({ world, now: () => clock.now, wait, facets: new Set() });
    delete engine.images;
    Object.assign(engine, without, {
      execute: (...[id, operation, limits]: Parameters<typeof engine.execute>) => {
        reported.push([operation.kind, limits?.compressedBytes]);
        return without.execute(id, operation, limits);
      },
    });
  });
  assert.deepEqual((await stateOf(shop))[0], 'running');
  assert.deepEqual(
    reported.filter(([kind]) => kind === 'start'),
    [
      ['start', 5],
      ['start', 5],
    ],
  );
  assert.ok(reported.every(([kind, bytes]) => kind === 'start' || bytes === undefined));
});
