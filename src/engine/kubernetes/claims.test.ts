import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asideManifest, claimManifest } from './manifests/claim.ts';
import { copyKey, placedMarks, readPlace } from './manifests/marks.ts';
import { claimsOfVolumes, type FoundClaim, replacedClaims } from './objects.ts';

const requested = { owner: 'berthowner', deploymentId: 'shop', volume: 'db-data', sizeBytes: 2 ** 30 };

/** Returns the claim as the cluster returns it. `changes`: of its marks. */
function found(
  { metadata }: ReturnType<typeof claimManifest>,
  changes: { annotations?: Record<string, string>; isPlaced?: true; deletionTimestamp?: string } = {},
): FoundClaim {
  const { annotations, isPlaced, ...more } = changes;
  const labels = { ...metadata.labels };
  if (isPlaced) delete labels[copyKey];
  const dates = { uid: metadata.name, resourceVersion: '1', creationTimestamp: '' };
  return {
    metadata: { ...metadata, labels, annotations: { ...metadata.annotations, ...annotations }, ...dates, ...more },
  };
}

const first = found(claimManifest(requested));
const other = asideManifest({ ...requested, key: 'monday', part: 'made' });
const placed = (place: number) =>
  found(other, { isPlaced: true, annotations: placedMarks('db-data', 'monday', place).annotations });
const nameOf = (claims: FoundClaim[]) => claimsOfVolumes(claims).get('db-data')?.metadata.name;

test('a claim that is assembled separately is not a volume, for any purpose', () => {
  assert.deepEqual([...claimsOfVolumes([found(other)]).keys()], []);
  const copy = asideManifest({ ...requested, key: 'monday', part: 'copy' });
  assert.equal(nameOf([found(copy), first, found(other)]), 'db-data');
});

test('one that has taken the place of a volume is the volume, also while the former is still there', () => {
  const name = other.metadata.name;
  for (const claims of [
    [first, placed(1)],
    [placed(1), first],
    [placed(1), { ...first, metadata: { ...first.metadata, deletionTimestamp: 'now' } }],
  ])
    assert.equal(nameOf(claims), name);
  assert.deepEqual([...replacedClaims([first, placed(1)])], [['db-data', name]]);
  assert.deepEqual([...replacedClaims([first])], []);
});

test('of several that have come one after the other it is the last', () => {
  const later = { ...placed(2), metadata: { ...placed(2).metadata, name: 'later' } };
  assert.equal(nameOf([later, placed(1), first]), 'later');
  assert.deepEqual(readPlace(later.metadata.annotations), { place: 2, cameBy: 'monday' });
  assert.deepEqual(readPlace(first.metadata.annotations), { place: 0, cameBy: undefined });
});
