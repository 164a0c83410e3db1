import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Admitted, NodeGate } from '../../images/gate/node-gate.ts';
import { ImageFault } from '../../images/image-fault.ts';
import { createClusterImages } from './images.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const admitted: Admitted = {
  reference: `localhost:30500/berth.gate/docker.io/library/nginx@${digest}`,
  digest,
  volumes: ['/data'],
  user: '1000',
  pass: { registry: 'localhost:30500', username: 'node', password: 'sealed' },
};
const login = { registry: 'r.example', username: 'me', personalAccessToken: 'secret' };

const noNodes: NodeGate = { admit: () => assert.fail(), contents: () => assert.fail(), save: () => assert.fail() };

function clusterImages(admit?: NodeGate['admit']) {
  const images = { digestOf: async () => digest, ...(admit && { nodes: { ...noNodes, admit } }) };
  return createClusterImages({ images, localPatterns: ['acme/*'] }, () => 'arm64');
}

test('nodes are given what the gate has admitted, for their processor, with the login that was named, and within the plan', async () => {
  const requested: unknown[] = [];
  const { bring } = clusterImages(async (...[request, platform, _, own]) => {
    requested.push(request, platform, own);
    return admitted;
  });
  const limits = { compressedBytes: 1_000, by: 'with the plan "small"' };
  assert.deepEqual(await bring({ image: 'r.example/app:1', pod: 'web', registryLogin: login }, limits), {
    image: admitted.reference,
    imageVolumes: ['/data'],
    imageUser: '1000',
    pass: admitted.pass,
  });
  assert.deepEqual(requested, [
    { image: 'r.example/app:1', registryLogin: login },
    { os: 'linux', architecture: 'arm64' },
    limits,
  ]);
});

test('what the operator has put on the nodes passes no gate, and needs none', async () => {
  const { bring } = clusterImages(() => assert.fail());
  assert.deepEqual(await bring({ image: 'acme/app:1', pod: 'web' }), { image: 'acme/app:1' });
});

test('node images of the operator are known by their name, and images that pass the gate are not', () => {
  const { isOnNodes } = clusterImages();
  assert.deepEqual(['acme/app:1', 'r.example/app:1', admitted.reference].map(isOnNodes), [true, false, false]);
});

test("a user cannot use another deployment's name for an image, even if it is on the nodes", async () => {
  const images = { digestOf: async () => digest };
  const { bring } = createClusterImages({ images, localPatterns: ['*'] }, () => 'amd64');
  await assert.rejects(bring({ image: admitted.reference, pod: 'web' }), { kind: 'image-access-denied' });
});

test('refusals of the gate, and a cluster without a gate or without nodes, are reported as faults', async () => {
  const refused = clusterImages(async ({ image }) => {
    throw new ImageFault('image-access-denied', image, 'The registry refuses access.');
  });
  await assert.rejects(refused.bring({ image: 'a:1', pod: 'web' }), {
    name: 'EngineFault',
    kind: 'image-access-denied',
  });
  await assert.rejects(clusterImages().bring({ image: 'a:1', pod: 'web' }), /cannot be brought to this cluster/);
  const images = { digestOf: async () => digest, nodes: noNodes };
  const without = createClusterImages({ images, localPatterns: [] }, () => undefined);
  await assert.rejects(without.bring({ image: 'a:1', pod: 'web' }), { kind: 'unavailable' });
});
