import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opens } from './listed-registries.ts';

const hub = (repository: string) => ({ registry: 'docker.io', repository });

test("the operator's login at Docker Hub does not reveal private images, unless it is set to open them", () => {
  const login = { username: 'me', password: 'secret' };
  const listed = { plainHttp: false, login };
  assert.ok(!opens(listed, hub('acme/shop')));
  assert.ok(opens(listed, hub('library/nginx')), 'the official ones are public');
  assert.ok(opens({ ...listed, open: ['acme/'] }, hub('acme/shop')));
  assert.ok(!opens({ ...listed, open: ['acme/'] }, hub('acmeshop/x')));
  const lan = { registry: 'harbor.lan', repository: 'team/app' };
  assert.ok(opens(listed, lan));
  assert.ok(!opens({ ...listed, open: ['public/'] }, lan));
});
