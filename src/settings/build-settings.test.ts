import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

const gitServersOf = (value?: string) => {
  const read = readSettings(value === undefined ? {} : { BERTH_GIT_SERVERS: value });
  return read.ok ? read.settings.gitServers : read.mistakes.join();
};

test('Git servers on private addresses are listed with a certificate or without HTTPS, and have no login', () => {
  assert.deepEqual(gitServersOf(), []);
  assert.deepEqual(gitServersOf('git.lan:3000 http; git.example ca=/etc/ca.pem'), [
    { host: 'git.lan:3000', plainHttp: true },
    { host: 'git.example', plainHttp: false, caFile: '/etc/ca.pem' },
  ]);
  for (const value of ['git.example login=/etc/login', 'git.example open=a/', 'https://git.example'])
    assert.match(String(gitServersOf(value)), /BERTH_GIT_SERVERS must be Git servers/, value);
});
