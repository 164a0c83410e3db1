import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageTable } from './image-settings.ts';

test('a listed registry has its protocol and the repositories of its login', () => {
  const read = imageTable.registries.read;
  assert.deepEqual(read('registry.lan:5000 http; docker.io login=/etc/hub open=acme/ open=team/app;'), [
    { host: 'registry.lan:5000', plainHttp: true },
    { host: 'docker.io', plainHttp: false, loginFile: '/etc/hub', open: ['acme/', 'team/app'] },
  ]);
  for (const text of ['docker.io open=', 'docker.io open=/etc', 'docker.io shut=acme/', 'https://docker.io', 'a:443'])
    assert.throws(() => read(text), /must be registries such as/, text);
});
