/** The access of a cloned project's builds to the user's machine. */
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

test('a layout of images somewhere on this machine is not a build context', async (t) => {
  const { refused } = await read(t, {
    ...files,
    'compose.yaml': built('additional_contexts: { other: "oci-layout:///home/me/images" }'),
  });
  assert.deepEqual(refused, ['unsupported compose.yaml:4:5']);
});

const secretFolder = {
  'docker-image:x': { link: '../secrets' },
  '../secrets/key': 'KEY',
  evil: { link: '../secrets' },
};

test('a link of the project that is named like an image is not a way out of its folder', async (t) => {
  for (const context of ['["x=docker-image:x"]', '{ x: "docker-image:x" }', '["x=evil"]'] as const) {
    const { refused } = await read(t, {
      ...files,
      ...secretFolder,
      'compose.yaml': built(`additional_contexts: ${context}`),
    });
    assert.deepEqual(refused, ['outside-folder compose.yaml:4:5'], context);
  }
  const { refused } = await read(t, { ...files, ...secretFolder, 'compose.yaml': web('build: docker-image:x') });
  assert.deepEqual(refused, ['outside-folder compose.yaml:4:5']);
});

test('the name of a build context ends at no equals sign of its own', async (t) => {
  for (const name of ['x=evil', 'X', 'a b', '', '-x,y']) {
    const { refused } = await read(t, {
      ...files,
      ...secretFolder,
      'compose.yaml': built(`additional_contexts: { ${JSON.stringify(name)}: "docker-image://alpine" }`),
    });
    assert.deepEqual(refused, name === '' ? [] : ['unsupported compose.yaml:4:5'], name);
  }
  const { refused } = await read(t, {
    ...files,
    'compose.yaml': built('additional_contexts: { alpine:3.21: "docker-image://alpine@sha256:00", a/b_c.d-1: . }'),
  });
  assert.deepEqual(refused, []);
});

test('a repository is not built with a Dockerfile of this machine', async (t) => {
  const { refused } = await read(t, {
    'compose.yaml': web('build: { context: "https://example.com/a.git", dockerfile: /etc/passwd }'),
  });
  assert.deepEqual(refused, ['unsupported compose.yaml:4:5']);
});
