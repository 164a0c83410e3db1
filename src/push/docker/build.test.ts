import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildOf } from '../../folder/plain-build.ts';
import type { Build } from '../../folder/project.ts';
import { buildArguments, checkedContexts } from './build.ts';

const build = buildOf('/repo');
const docker = { platform: 'linux/amd64', hasBuildKit: true };
const wordsFor = (changes: Partial<Build>, secretFiles: Record<string, string> = {}) =>
  buildArguments(docker, { ...build, ...changes }, { platform: 'linux/amd64', idFile: '/tmp/id', secretFiles });

test('a build argument cannot set a variable that programs on this machine obey', () => {
  const args = {
    LD_PRELOAD: './evil.so',
    GIT_SSH_COMMAND: 'sh -c evil',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    BASH_ENV: './evil.sh',
    NODE_OPTIONS: '--require ./evil.js',
    ALL_PROXY: 'http://user:password@evil.example',
    DOCKER_AUTH_TOKEN: 'x',
    VERSION: '1',
  };
  const { words, env } = wordsFor({ args });
  assert.deepEqual(env, {});
  for (const [name, value] of Object.entries(args)) assert.ok(words.includes(`${name}=${value}`), name);
});

test('an argument that may be a secret stands in no list of processes', () => {
  const args = { DB_PASSWORD: 'hunter2', SOURCE: 'https://me:hunter2@git.example/a.git' };
  const { words, env } = wordsFor({ args });
  assert.deepEqual(env, args);
  assert.ok(!words.join(' ').includes('hunter2'));
});

test('neither the name nor the path of a secret names another file', () => {
  const secrets = [
    { id: 'a,env=GITHUB_TOKEN', value: 'x' },
    { id: 'b', file: '/repo/k,src=/proc/self/environ' },
  ];
  const { words } = wordsFor(
    { secrets },
    { 'a,env=GITHUB_TOKEN': '/tmp/secret-0', b: '/repo/k,src=/proc/self/environ' },
  );
  assert.deepEqual(
    words.filter((_, at) => words[at - 1] === '--secret'),
    ['"id=a,env=GITHUB_TOKEN",src=/tmp/secret-0', 'id=b,"src=/repo/k,src=/proc/self/environ"'],
  );
});

test('hostile names are values of their own flags, and never begin another argument', () => {
  const name = '--privileged=evil ; rm -rf ~';
  const { words } = wordsFor({
    args: { [name]: name },
    labels: { [name]: name },
    target: name,
    shmSize: name,
    network: name,
    extraHosts: [name],
    ssh: [name],
    additionalContexts: { other: 'docker-image://x' },
  });
  assert.deepEqual(words, [
    ...['buildx', 'build', '--load', '--progress=plain', '--iidfile', '/tmp/id', '--provenance=false'],
    ...['--platform', 'linux/amd64', '--build-arg', `${name}=${name}`, '--label', `${name}=${name}`],
    ...['--add-host', '--privileged:evil ; rm -rf ~', '--ssh', name, '--build-context', 'other=docker-image://x'],
    ...['--target', name, '--shm-size', name, '--network', name],
  ]);
});

test('an additional context is an absolute path or an address, from any reader of the project', () => {
  for (const contexts of [
    { x: 'docker-image:x' },
    { 'x=evil': 'docker-image:x' },
    { 'x=/': '/repo' },
    { x: 'evil' },
    { x: './evil' },
    { x: 'service:web' },
  ])
    assert.throws(() => checkedContexts(contexts), /neither an absolute path nor an address/, JSON.stringify(contexts));
  for (const place of ['/repo/a', 'docker-image://alpine', 'https://example.com/a.git', 'git@example.com:a.git'])
    assert.deepEqual(checkedContexts({ x: place }), { x: place });
});
