import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { overlayFiles } from './overlay.ts';

const given = await readFile(join(import.meta.dirname, '../../deploy/kubernetes/small/settings.yaml'), 'utf8');

test('given settings are merged with those of the manifests, and take precedence', () => {
  const settings = { BERTH_BASE_URL: 'http://localhost:8080', BERTH_EGRESS: 'none' };
  const files = overlayFiles({ image: 'berth:0.1.0', settings }, given);
  const { data } = parse(files['settings.yaml']!);
  assert.partialDeepStrictEqual(data, { ...settings, BERTH_ENGINE: 'kubernetes' });
  assert.equal(files['claim.yaml'], undefined);
});

test('changed settings change the pods, and the same settings do not', () => {
  const podsWith = (settings: Record<string, string>) =>
    overlayFiles({ image: 'berth:1', settings }, given)['pods.yaml'];
  assert.equal(podsWith({ BERTH_EGRESS: 'none' }), podsWith({ BERTH_EGRESS: 'none' }));
  assert.notEqual(podsWith({ BERTH_EGRESS: 'none' }), podsWith({ BERTH_EGRESS: 'open' }));
});

test('an image of a registry with a port keeps its name, and one without a tag is the latest', () => {
  const imagesOf = (image: string) => parse(overlayFiles({ image, settings: {} }, given)['kustomization.yaml']!).images;
  assert.deepEqual(imagesOf('registry.example.com:5000/team/berth:2'), [
    { name: 'berth', newName: 'registry.example.com:5000/team/berth', newTag: '2' },
  ]);
  assert.deepEqual(imagesOf('localhost:5000/berth'), [
    { name: 'berth', newName: 'localhost:5000/berth', newTag: 'latest' },
  ]);
});

test("a given storage class also applies to Berth's own claim", () => {
  const files = overlayFiles({ image: 'berth:1', settings: { BERTH_STORAGE_CLASS: 'fast' } }, given);
  assert.equal(parse(files['claim.yaml']!).spec.storageClassName, 'fast');
  assert.ok(parse(files['kustomization.yaml']!).patchesStrategicMerge.includes('claim.yaml'));
});
