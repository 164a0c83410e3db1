import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoundImage } from '../../engine/engine.ts';
import { ImageFault } from '../../images/image-fault.ts';
import { createTagCheck } from './tag-check.ts';

const [old, moved] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
const image = 'r.example/app:1';
const here: FoundImage = { reference: `r.example/app@${old}`, isOperators: false };

function checkOf(found: FoundImage | undefined, digestOf: () => Promise<string>, uptime = () => 0) {
  return createTagCheck({ images: { digestOf }, engine: { findImage: async () => found }, uptime });
}

const fails = (fault: ImageFault) => () => Promise.reject(fault);

test('the registry decides what a tag means, not the engine', async () => {
  for (const found of [here, undefined]) {
    const check = checkOf(found, async () => moved);
    assert.deepEqual(await check('shop', [{ image }]), [
      { image, reference: `r.example/app@${moved}`, by: 'registry' },
    ]);
  }
});

test("registries are not queried for the operator's own images", async () => {
  const check = checkOf({ reference: 'acme/app:1', isOperators: true }, () => assert.fail());
  assert.deepEqual(await check('shop', [{ image: 'acme/app:1' }]), [
    { image: 'acme/app:1', reference: 'acme/app:1', by: 'operator' },
  ]);
});

test('where the registry cannot be reached, the image that the engine has is taken, and one that it has not is a fault', async () => {
  const away = fails(new ImageFault('registry-unreachable', image, 'It does not answer.'));
  assert.deepEqual(await checkOf(here, away)('shop', [{ image }]), [
    { image, reference: here.reference, by: 'presence' },
  ]);
  await assert.rejects(checkOf(undefined, away)('shop', [{ image }]), {
    name: 'EngineFault',
    kind: 'registry-unreachable',
  });
});

test('a refusal is a fault although the engine has the image', async () => {
  const refusal = fails(new ImageFault('image-access-denied', image, 'It refuses.'));
  await assert.rejects(checkOf(here, refusal)('shop', [{ image }]), { kind: 'image-access-denied' });
});

test('a deployment does not query a silent registry again for a minute, but others do', async () => {
  let nowMs = 0;
  let requested = 0;
  const silent = () => {
    requested++;
    return Promise.reject(new ImageFault('registry-unreachable', image, 'Silence.', { isSilence: true }));
  };
  const check = checkOf(here, silent, () => nowMs);
  await check('shop', [{ image }]);
  await check('shop', [{ image }]);
  assert.equal(requested, 1);
  await check('other', [{ image }]);
  assert.equal(requested, 2);
  nowMs = 61_000;
  await check('shop', [{ image }]);
  assert.equal(requested, 3);
});
