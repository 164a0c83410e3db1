import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPinned, isReference, pin, registryOf, repositoryOf, shortNameOf, tagOf } from './image-names.ts';

test('the registry of an image is read as Docker reads it', () => {
  const registries = {
    'nginx:1': 'docker.io',
    'library/nginx': 'docker.io',
    'docker.io/library/nginx:1': 'docker.io',
    'index.docker.io/me/app:1': 'docker.io',
    'ghcr.io/me/app:1': 'ghcr.io',
    'localhost/app:1': 'localhost',
    'localhost:5000/app:1': 'localhost:5000',
    'GHCR.io/me/app@sha256:abc': 'ghcr.io',
  };
  for (const [image, registry] of Object.entries(registries)) assert.equal(registryOf(image), registry, image);
});

test('a repository has one name, however an image of it is written', () => {
  const names = [
    'nginx',
    'nginx:1',
    'library/nginx:1',
    'docker.io/nginx@sha256:abc',
    'index.docker.io/library/nginx:1',
  ];
  for (const image of names) assert.equal(repositoryOf(image), 'docker.io/library/nginx', image);
  assert.equal(repositoryOf('localhost:5000/a/b:1@sha256:abc'), 'localhost:5000/a/b');
  assert.equal(repositoryOf('me/app:1'), 'docker.io/me/app');
});

test('a pinned reference keeps the repository as it was written', () => {
  assert.equal(pin('localhost:5000/a/b:1', 'sha256:abc'), 'localhost:5000/a/b@sha256:abc');
  assert.equal(pin('nginx:1@sha256:old', 'sha256:abc'), 'nginx@sha256:abc');
  assert.ok(isPinned('nginx@sha256:abc') && !isPinned('nginx:1'));
});

test('the beginning of an id is not a reference', () => {
  for (const image of ['sha256:e0f9', `sha256:${'0'.repeat(64)}`]) assert.ok(!isReference(image), image);
});

test('a text that would change the path of a request is not a reference', () => {
  for (const image of ['nginx:1', 'ghcr.io/a/b_c.d-e:1.2', `a@sha256:${'0'.repeat(64)}`, '<% R %>', ''])
    assert.equal(isReference(image), /^[a-z]/.test(image), image);
  for (const image of ['../x', 'a/../b', 'a//b', 'a?b=c', 'a#b', 'a b', 'a%2fb', '/a', 'a/', 'a\nb'])
    assert.ok(!isReference(image), image);
});

test('the tag and the short name are found next to a port and a digest', () => {
  const tags = {
    'nginx:1': '1',
    'localhost:5000/a/Nginx': undefined,
    'a/nginx:1.29@sha256:ab': '1.29',
    'nginx:': undefined,
  };
  for (const [image, tag] of Object.entries(tags)) assert.deepEqual([shortNameOf(image), tagOf(image)], ['nginx', tag]);
});
