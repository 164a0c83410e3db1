/** What the builds of a cloned project may have of whoever builds them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, web } from '../support/project-folder.ts';

const files = { Dockerfile: 'FROM scratch\n', key: 'KEY', '../outside-key': 'KEY' };
const built = (more: string) => web(`build: { context: ., ${more} }`);

test('a build that uses the keys of the SSH agent, or the network of this machine, says so before', async (t) => {
  const { noted, refused, project } = await read(t, {
    ...files,
    'compose.yaml': built('ssh: [default], network: host'),
  });
  assert.deepEqual(refused, []);
  assert.deepEqual(noted, ['build-network compose.yaml:4:5', 'ssh-agent compose.yaml:4:32']);
  const [image] = project.images;
  assert.ok(image?.base.kind === 'build');
  assert.deepEqual(image.base.build.ssh, ['default']);
});

test('a key for a build is a file of the project, or is refused', async (t) => {
  const inside = await read(t, { ...files, 'compose.yaml': built('ssh: [own=./key]') });
  assert.deepEqual(inside.refused, []);
  const [image] = inside.project.images;
  assert.ok(image?.base.kind === 'build');
  assert.deepEqual(image.base.build.ssh, [`own=${inside.project.folder}/key`]);
  for (const key of ['../outside-key', 'key,../outside-key', '/etc/passwd', './link'] as const) {
    const { refused } = await read(t, {
      ...files,
      link: { link: '../outside-key' },
      'compose.yaml': built(`ssh: ["own=${key}"]`),
    });
    assert.deepEqual(refused, ['outside-folder compose.yaml:4:32'], key);
  }
});

test('a layout of images somewhere on this machine is no build context', async (t) => {
  const { refused } = await read(t, {
    ...files,
    'compose.yaml': built('additional_contexts: { other: "oci-layout:///home/me/images" }'),
  });
  assert.deepEqual(refused, ['unsupported compose.yaml:4:5']);
});
