import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { admitUnbanned, type Ban, isImageOf, isWithin, normalSubject } from './ban.ts';

const anybody = { address: '192.0.2.7', accountId: 'ada', images: ['nginx:1', 'ghcr.io/acme/miner@sha256:ab'] };

function codeFor(ban: Omit<Ban, 'reason'>, asking = anybody): string | undefined {
  const admitted = admitUnbanned([{ ...ban, reason: 'mines coins' }], asking);
  if (admitted.ok) return undefined;
  assert.doesNotMatch(JSON.stringify(admitted.problem), /mines coins/, 'the reason is not for strangers');
  return admitted.problem.code;
}

test('only a banned address, network, account or image is refused', () => {
  assert.equal(codeFor({ kind: 'address', subject: '192.0.2.7' }), 'banned');
  assert.equal(codeFor({ kind: 'address', subject: '192.0.2.0/24' }), 'banned');
  assert.equal(codeFor({ kind: 'address', subject: '192.0.2.8' }), undefined);
  assert.equal(codeFor({ kind: 'account', subject: 'ada' }), 'banned');
  assert.equal(codeFor({ kind: 'account', subject: 'bob' }), undefined);
  assert.equal(codeFor({ kind: 'image', subject: 'ghcr.io/acme/*' }), 'image_banned');
  assert.equal(codeFor({ kind: 'image', subject: 'ghcr.io/other/*' }), undefined);
});

test('an address is matched with a network in any version and spelling', () => {
  assert.ok(isWithin('2001:db8::/32', '2001:0DB8:1::7'));
  assert.ok(!isWithin('2001:db8::/32', '2001:db9::1'));
  assert.ok(isWithin('192.0.2.0/24', '::ffff:192.0.2.9'));
  assert.ok(!isWithin('0.0.0.0/0', 'unknown'));
});

test('an IPv6 ban covers the whole network of 64 bits in any spelling, and never all of IPv4', () => {
  for (const subject of ['2001:db8:7::1', '2001:db8:7::1/128', '2001:db8:7::/64']) {
    assert.ok(isWithin(subject, '2001:db8:7:0:ffff::9'), subject);
    assert.ok(!isWithin(subject, '2001:db8:7:1::1'), subject);
    assert.equal(normalSubject('address', subject), '2001:db8:7:0::/64');
  }
  for (const subject of ['::ffff:192.0.2.9', '::ffff:c000:209']) {
    assert.ok(isWithin(subject, '192.0.2.9'), subject);
    assert.ok(!isWithin(subject, '192.0.2.10'), subject);
  }
});

test('an image is recognised by its repository at every length, with or without tag and digest', () => {
  for (const image of [
    'miner',
    'miner:1',
    'library/miner:2',
    'docker.io/library/miner@sha256:ab',
    'Docker.io/miner:3',
  ]) {
    for (const pattern of ['miner', 'library/miner', 'docker.io/library/miner', 'mi*r', '*/miner']) {
      assert.ok(isImageOf(pattern, image), `${pattern} is ${image}`);
    }
  }
  assert.ok(!isImageOf('miner', 'acme/miner:1'));
  assert.ok(!isImageOf('miner', 'minerva:1'));
  assert.ok(isImageOf('acme/app:1.*', 'acme/app:1.29'));
  assert.ok(!isImageOf('acme/app:1.*', 'acme/app:2.0'));
  assert.ok(isImageOf('localhost:5000/a/*', 'localhost:5000/a/b/c:1'));
});

test('a star stands for any characters, in any number', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 4 }),
      fc.array(letters, { maxLength: 3 }),
      (parts, gaps) => {
        const text = parts.map((part, index) => (index === 0 ? part : `${gaps[index - 1] ?? ''}${part}`)).join('');
        assert.ok(isImageOf(`ghcr.io/x${parts.join('*')}y`, `ghcr.io/x${text}y`));
      },
    ),
  );
});

test('a text that names neither an address nor an image is not a subject', () => {
  assert.equal(normalSubject('address', '2001:DB8::/32'), '2001:db8::/32');
  for (const text of ['example.com', '1.2.3.4/33', '1.2.3.4/8/8', '', '::/129']) {
    assert.equal(normalSubject('address', text), undefined, text);
  }
  assert.equal(normalSubject('image', 'GHCR.io/Acme/*'), 'ghcr.io/acme/*');
  for (const text of ['', 'a b', '-rf', 'a:b:c d']) assert.equal(normalSubject('image', text), undefined, text);
});
