import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isApex, readDomainName } from './domain-name.ts';
import { proofRecord } from './domain-proof.ts';

const own = { apiHost: 'berth.example.com', appsDomain: 'apps.example.net' };

function read(text: string): string {
  const name = readDomainName(text, own);
  return name.ok ? name.value : `! ${name.problem.error}`;
}

test('a name has one spelling for all forms of input', () => {
  for (const [text, name] of Object.entries({
    'Shop.Example.COM.': 'shop.example.com',
    ' shop.example.com ': 'shop.example.com',
    'bücher.example': 'xn--bcher-kva.example',
    'BÜCHER.example': 'xn--bcher-kva.example',
    'shop。example。com': 'shop.example.com',
    // Every resolver maps the Kelvin sign to a k.
    '\u212aelvin.example': 'kelvin.example',
    'example.co.uk': 'example.co.uk',
  }))
    assert.equal(read(text), name, text);
});

test('impossible names are refused with a reason', () => {
  for (const [text, because] of Object.entries({
    '*.example.com': 'has a wildcard',
    'https://shop.example.com/': 'is an address, not a name',
    'shop.example.com/x': 'is an address, not a name',
    'shop.example.com:443': 'is an address, not a name',
    'a b.example.com': 'is an address, not a name',
    '127.0.0.1': 'is an IP address',
    '0x7f.1': 'is an IP address',
    shop: 'has only one part',
    localhost: 'has only one part',
    'x.localhost': 'is not a public domain name',
    'co.uk': 'is a public suffix, under which everyone can register names',
    'github.io': 'is a public suffix, under which everyone can register names',
    'berth.example.com': 'is a name of this service',
    'x.Berth.Example.com': 'is a name of this service',
    'apps.example.net.': 'is a name of this service',
    'jolly-tapir-shop.apps.example.net': 'is a name of this service',
    '_berth.example.com': 'is not a host name',
    '-a.example.com': 'is not a host name',
    'a..example.com': 'is not a host name',
    '': 'is not a host name',
    [`${'a'.repeat(64)}.example.com`]: 'is not a host name',
    [`${'a.'.repeat(121)}example.com`]: 'is not a host name',
    'example.com;drop': 'is not a host name',
  }))
    assert.match(read(text), new RegExp(`^! ".*" ${because}\\.$`), text);
  assert.equal(read('notberth.example.com'), 'notberth.example.com');
});

test('an accepted name is unchanged, and DNS and HAProxy read it alike', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ maxLength: 300 }), fc.webAuthority()), (text) => {
      const name = readDomainName(text, own);
      if (!name.ok) return;
      assert.match(name.value, /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
      assert.ok(name.value.length <= 246);
      assert.deepEqual(readDomainName(name.value, own), name);
    }),
  );
});

test('an apex is what was bought, and nothing below it', () => {
  assert.deepEqual(['example.com', 'www.example.com', 'example.co.uk', 'me.github.io', 'shop.test'].map(isApex), [
    true,
    false,
    true,
    true,
    true,
  ]);
});

test('what proves a name is of one account, one name and one installation', () => {
  const of = { installation: 'one', accountId: 'ada', name: 'shop.example.com' };
  const values = [of, { ...of, accountId: 'bob' }, { ...of, installation: 'two' }, { ...of, name: 'example.com' }];
  assert.equal(new Set(values.map((each) => proofRecord(each).value)).size, values.length);
  assert.equal(proofRecord(of).name, '_berth.shop.example.com');
  assert.match(proofRecord(of).value, /^berth=[\w-]{32}$/);
});
