/** Tests with a cluster in memory: its claims, and the changes to them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workload } from '../../deployment/workload/workload.ts';
import type { ImageContent } from '../../images/contents/image-contents.ts';
import { createInitialContent, type InitialContentParts, isFirstFill } from './initial-content.ts';
import { asideManifest, claimManifest } from './manifests/claim.ts';
import { namespaceManifest } from './manifests/namespace.ts';
import type { FoundClaim } from './objects.ts';

const owner = 'berthowner';
const [deploymentId, key] = ['shop', 'begin-shop'];
const volumes = [{ volume: 'web-data', mountPath: '/srv' }];
const workload = { pod: 'web', image: './web:1', volumes } as unknown as Workload;
const common = { owner, deploymentId, volume: 'web-data', sizeBytes: 2 ** 20 };

const claimOf = (isUnused: boolean) => claimManifest({ ...common, isUnused }) as unknown as FoundClaim;
const left = asideManifest({ ...common, key, part: 'made' }) as unknown as FoundClaim;
const holding = (contentBytes: number) => new Map([['/srv', { contentBytes, sizeBytes: 2 ** 10 } as ImageContent]]);

/** The steps of a start with these claims; `failing`: the step that fails. */
async function begun(claims: FoundClaim[], contents: ReadonlyMap<string, ImageContent>, failing?: string) {
  const done: string[] = [];
  const step = async (name: string) => {
    done.push(name);
    if (name === failing) throw new Error(`${name} has failed`);
  };
  const parts = {
    cluster: { change: (_: string, __: object, fields: object) => step(`change ${JSON.stringify(fields)}`) },
    cache: { list: () => claims, untilVisible: async () => {} },
    copies: {
      make: async () => {
        await step('make');
        return { kind: 'tars', fill: (volume: string) => step(`fill ${volume}`) };
      },
      finish: () => step('finish'),
      swap: async () => {
        await step('swap');
        return true;
      },
      clear: (cleared: string) => step(`clear ${cleared}`),
    },
    contents: async () => {
      done.push('look');
      return contents;
    },
  } as unknown as InitialContentParts;
  const error = await createInitialContent(parts)
    .fill(deploymentId, workload)
    .then(
      () => undefined,
      (reason: Error) => reason.message,
    );
  return { done, error };
}

const isUsedNow = 'change {"metadata":{"annotations":{"berth.unused":null}}}';

test('a new volume is filled separately and takes its place before its pod starts', async () => {
  const { done, error } = await begun([claimOf(true)], holding(1));
  assert.equal(error, undefined);
  assert.deepEqual(done, ['look', 'make', 'fill web-data', 'finish', 'swap', `clear ${key}`]);
});

test('where the image has nothing it begins empty, and is never filled later', async () => {
  assert.deepEqual((await begun([claimOf(true)], new Map())).done, ['look', isUsedNow]);
  assert.deepEqual((await begun([claimOf(false)], holding(1))).done, []);
});

test('what a killed start has left goes before, also where there is nothing to fill any more', async () => {
  assert.deepEqual((await begun([claimOf(false), left], holding(1))).done, [`clear ${key}`]);
  assert.equal((await begun([claimOf(true), left], holding(1))).done[0], `clear ${key}`);
});

test('after any failure, the volume is not used, and the separate copy is removed', async () => {
  for (const failing of ['make', 'fill web-data', 'finish', 'swap']) {
    const { done, error } = await begun([claimOf(true)], holding(1), failing);
    assert.equal(error, `${failing} has failed`);
    assert.deepEqual(done.slice(-2), [failing, `clear ${key}`]);
  }
});

test('more than the volume has room for is refused in words, and nothing is made', async () => {
  const { done, error } = await begun([claimOf(true)], holding(2 ** 30));
  assert.equal(error, 'Image ./web:1 has 1 GiB at /srv, and the volume web-data has room for 8 MiB.');
  assert.deepEqual(done, ['look']);
});

test('a copy for a start is protected from clean-up while the deployment has a network', () => {
  const cacheOf = (egress?: { kind: 'none' }) => ({
    find: () => namespaceManifest({ owner, deploymentId, epoch: 1, egress }),
  });
  const isKept = (egress?: { kind: 'none' }) => isFirstFill(cacheOf(egress) as never, left);
  assert.deepEqual([isKept({ kind: 'none' }), isKept()], [true, false]);
  const other = asideManifest({ ...common, key: 'restore-1', part: 'made' }) as unknown as FoundClaim;
  assert.equal(isFirstFill(cacheOf({ kind: 'none' }) as never, other), false);
});
