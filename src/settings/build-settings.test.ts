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

test('the proxy of builds is an IPv4 address and a port, without a login', () => {
  const proxyOf = (value: string) => {
    const read = readSettings({ BERTH_BUILD_PROXY: value });
    return read.ok ? read.settings.buildProxy : read.mistakes.join();
  };
  assert.deepEqual(proxyOf('http://10.0.0.5:3128'), { address: '10.0.0.5', port: 3128 });
  const bad = ['10.0.0.5:3128', 'http://10.0.0.5', 'http://proxy:3128', 'http://127.0.0.1:3128', 'http://10.0.0.5:0'];
  for (const value of [...bad, 'https://10.0.0.5:3128', 'http://me:secret@10.0.0.5:3128', 'http://10.0.0.5:3128/a'])
    assert.match(String(proxyOf(value)), /^BERTH_BUILD_PROXY must be http/, value);
});

test('builds are a number at a time, with a memory limit, and in gVisor if that is behind it', () => {
  const buildsOf = (value: string) => {
    const read = readSettings({ BERTH_BUILDS: value });
    return read.ok ? read.settings.builds : read.mistakes.join();
  };
  const memoryBytes = 2 * 2 ** 30;
  assert.deepEqual(buildsOf('0'), { atATime: 0, inGvisor: false, memoryBytes });
  assert.deepEqual(buildsOf('3 gvisor'), { atATime: 3, inGvisor: true, memoryBytes });
  assert.deepEqual(buildsOf('1 memory=512Mi gvisor'), { atATime: 1, inGvisor: true, memoryBytes: 2 ** 29 });
  for (const value of ['101', '-1', 'gvisor', '2 runsc', '2gvisor'])
    assert.match(String(buildsOf(value)), /^BERTH_BUILDS must be a number/, value);
});
