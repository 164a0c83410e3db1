import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullReference } from '../../config/values/image-names.ts';
import { isLocalImage, setUpImages } from './local-images.ts';
import { isVerifiedName, pinnedAmong, referenceOf, verifiedName } from './verified-names.ts';

const digest = `sha256:${'a1'.repeat(32)}`;
const references = ['nginx:1', 'nginx', 'docker.io/library/nginx:1', 'me/app:1', 'ghcr.io/a/b:1', 'r.lan:5000/a/b_c:x'];

test('a verified name contains the original reference, with a tag and with a digest', () => {
  for (const reference of [...references, ...references.map((each) => `${each}@${digest}`)]) {
    const name = verifiedName(reference)!;
    assert.ok(isVerifiedName(name));
    assert.equal(referenceOf(name), fullReference(reference));
  }
  assert.equal(referenceOf('nginx:1'), undefined);
});

test('the digest of an image is found among its names, for its own repository alone', () => {
  const names = [verifiedName('nginx:1')!, verifiedName(`nginx@${digest}`)!, verifiedName(`other@${digest}`)!];
  assert.equal(pinnedAmong(names, 'nginx:1'), `nginx@${digest}`);
  assert.equal(pinnedAmong(names, 'library/nginx:2'), `library/nginx@${digest}`);
  assert.equal(pinnedAmong(names, 'me/nginx:1'), undefined);
});

test('a tag that looks like a digest is not a digest', () => {
  const tag = `sha256-${'a1'.repeat(32)}`;
  assert.notEqual(verifiedName(`nginx:${tag}`), verifiedName(`nginx@${digest}`));
  assert.equal(pinnedAmong([verifiedName(`nginx:${'a1'.repeat(32)}`)!], 'nginx:1'), undefined);
});

test('a name that is too long for the engine has no verified name', () => {
  assert.equal(verifiedName(`r.example/${'a'.repeat(250)}:1`), undefined);
});

test("an image of the host is shared if the set-up has built it, or its name is on the operator's list", () => {
  const listed = { built: false, patterns: ['acme/*', 'tools:1'] };
  const built = { 'berth.built': 'true' };
  assert.equal(isLocalImage('node:26-slim', built, setUpImages), true);
  assert.equal(isLocalImage('node:26-slim', {}, setUpImages), false);
  assert.equal(isLocalImage('node:26-slim', built, listed), false);
  assert.equal(isLocalImage('acme/shop:3', null, listed), true);
  assert.equal(isLocalImage('tools:1', {}, listed), true);
  assert.equal(isLocalImage('tools:10', {}, listed), false);
});

test('an image from a registry is not shared, with any label', () => {
  const everything = { built: true, patterns: ['*'] };
  assert.equal(isLocalImage(verifiedName('nginx:1')!, { 'berth.built': 'true' }, everything), false);
});
