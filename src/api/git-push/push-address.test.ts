import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressWithToken, bearerOf, readPushAddress, readPushOptions } from './push-address.ts';

test('an address names an application, and perhaps whose it is', () => {
  const applicationName = 'shop';
  assert.deepEqual(readPushAddress(undefined, 'shop.git'), { applicationName, isOwn: false });
  assert.deepEqual(readPushAddress('mine', 'shop'), { applicationName, isOwn: true });
  const environment = 'blue-otter';
  assert.deepEqual(readPushAddress(environment, 'shop.git'), { applicationName, isOwn: true, environment });
  for (const name of ['', '.git', 'ab', 'Shop', '../shop', 'shop.git.git', 'a'.repeat(65), '1st'])
    assert.equal(readPushAddress('mine', name), undefined, name);
});

test('the password of any user is the token, and an empty password counts as missing', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  assert.equal(bearerOf(basic('any:berth_token')), 'Bearer berth_token');
  assert.equal(bearerOf(basic(':berthkey_1:2')), 'Bearer berthkey_1:2');
  assert.equal(bearerOf('Bearer berth_token'), 'Bearer berth_token');
  for (const text of ['any:', ':', 'any', 'any:with space', 'any:line\nbreak'])
    assert.equal(bearerOf(basic(text)), undefined);
  assert.equal(bearerOf(undefined), undefined);
});

test('the address with a token is one that Git accepts', () => {
  const address = addressWithToken(new URL('https://berth.example.com:8443/'), 'shop', 'berth_a-b_c');
  assert.equal(address, 'https://berth:berth_a-b_c@berth.example.com:8443/git/mine/shop.git');
});

test('an option of a push names a folder, and others are refused', () => {
  assert.deepEqual(readPushOptions([]), { ok: true, value: { path: [] } });
  assert.deepEqual(readPushOptions(['path=apps/web/']), { ok: true, value: { path: ['apps', 'web'] } });
  for (const option of ['path=../x', 'path=', 'path=/etc', 'path=a\nb', 'Path=x', 'ci.skip', 'path'])
    assert.equal(readPushOptions([option]).ok, false, option);
});
