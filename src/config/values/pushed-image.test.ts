import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseImageReference, repositoryOf } from './image-names.ts';
import { pushedReference, readPushedName, readPushedReference, withShortNames } from './pushed-image.ts';

const host = 'localhost:8080';
const namespace = 's0123456789abcdef';

test('an image that was pushed is named in short, by its namespace, or as it was pushed', () => {
  const tag = { tag: '1' };
  assert.deepEqual(readPushedName('./api', host), { name: 'api', reference: { tag: 'latest' } });
  assert.deepEqual(readPushedName('./team/api:1', host), { name: 'team/api', reference: tag });
  assert.deepEqual(readPushedName(`${namespace}/api:1`, host), { namespace, name: 'api', reference: tag });
  assert.deepEqual(readPushedName(`${host}/${namespace}/api:1`, host), { namespace, name: 'api', reference: tag });
  const digest = `sha256:${'0'.repeat(64)}`;
  assert.deepEqual(readPushedName(`${namespace}/api:1@${digest}`, host), {
    namespace,
    name: 'api',
    reference: { digest },
  });
});

test('images of registries are not pushed images', () => {
  for (const image of [
    'nginx:1',
    'me/app:1',
    `ghcr.io/${namespace}/api:1`,
    `localhost:9090/${namespace}/api:1`,
    `${namespace}:1`,
  ])
    assert.equal(readPushedName(image, host), undefined, image);
});

test('a stored reference names its repository as others do, and is read again', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const reference = pushedReference(`${namespace}/team/api`, { digest, tag: '1.2' });
  assert.deepEqual(readPushedReference(reference), { repository: `${namespace}/team/api`, digest });
  assert.equal(repositoryOf(reference), `pushed.invalid/${namespace}/team/api`);
  assert.equal(readPushedReference(`ghcr.io/a/b@${digest}`), undefined);
});

test('messages about a pushed image use the words of its owner', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const tagged = pushedReference(`${namespace}/team/api`, { digest, tag: '1.2' });
  const pinned = pushedReference(`${namespace}/api`, { digest });
  const reported = withShortNames({
    message: `Image ${tagged} does not exist in the registry pushed.invalid.`,
    pods: [{ image: pinned, restarts: 1 }, { image: 'nginx:1' }],
    none: null,
  });
  assert.deepEqual(reported, {
    message: 'Image ./team/api:1.2 does not exist in the registry of this server.',
    pods: [{ image: `./api@${digest}`, restarts: 1 }, { image: 'nginx:1' }],
    none: null,
  });
});

test('a document may leave out the tag of an image that was pushed, and nothing else', () => {
  const complete = { kind: 'complete', usesRegistry: false };
  assert.deepEqual(parseImageReference('./api'), { ...complete, tag: 'latest', lowerCase: './api' });
  assert.deepEqual(parseImageReference('./Team/api:V1'), { ...complete, tag: 'V1', lowerCase: './team/api:V1' });
  for (const image of ['./', './a b:1', '../api:1', './api:', './../api:1', './api@sha256:1', './a//b'])
    assert.equal(parseImageReference(image).kind, 'invalid', image);
});
