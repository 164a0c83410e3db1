import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetUpError } from './announce.ts';
import { versionsIn } from './apt.ts';
import { debianCodename, mirrorIn, sourceOf } from './backports.ts';
import { newestOf, releaseOf } from './gvisor.ts';
import { configurationFile, withRuntime } from './runtimes.ts';

const file = '/etc/docker/daemon.json';
const program = '/usr/bin/runsc';

test('the newest suitable version in apt is chosen', () => {
  const table = [
    '     runsc | 0.0~20240729.0-4~bpo12+2 | http://deb.debian.org/debian bookworm-backports/main amd64 Packages',
    '     runsc | 0.0~20221219.0-2+b3 | http://deb.debian.org/debian bookworm/main amd64 Packages',
  ];
  assert.equal(newestOf(versionsIn(table.join('\n'))), '0.0~20240729.0-4~bpo12+2');
  assert.equal(newestOf(versionsIn(table[1]!)), undefined);
  assert.equal(newestOf(versionsIn('')), undefined);
});

test('the age of gVisor is read from its own version, for every build', () => {
  assert.equal(releaseOf('runsc version 0.0~20240729.0\nspec: 1.0.2-dev\n'), 20240729);
  assert.equal(releaseOf('runsc version release-20250407.0\nspec: 1.1.0-rc.1\n'), 20250407);
  assert.equal(releaseOf('runsc version VERSION_MISSING\n'), undefined);
});

test('backports match the release and its mirror; derivatives of Debian have none', () => {
  const osRelease = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n';
  assert.equal(debianCodename(osRelease), 'bookworm');
  assert.equal(debianCodename('ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n'), undefined);
  const targets = 'stable contrib http://elsewhere.example/\nbookworm main http://mirror.example/debian/\n';
  assert.equal(mirrorIn(targets, 'bookworm'), 'http://mirror.example/debian/');
  assert.equal(mirrorIn(targets, 'trixie'), undefined);
  const source = sourceOf('bookworm', 'http://mirror.example/debian/');
  assert.match(source, /^URIs: http:\/\/mirror\.example\/debian\/\nSuites: bookworm-backports\nComponents: main\n/m);
  assert.match(source, /^Signed-By: \//m);
});

test('other settings of the engine keep their values and format', () => {
  const content = '{\n\t"log-opts": { "max-size": "1m" },\n\t"runtimes": { "kata": { "path": "/usr/bin/kata" } }\n}\n';
  const changed = withRuntime(content, file, program);
  const runsc = { path: program, runtimeArgs: ['--platform=systrap', '--network=host', '--overlay2=none'] };
  assert.deepEqual(JSON.parse(changed), {
    'log-opts': { 'max-size': '1m' },
    runtimes: { kata: { path: '/usr/bin/kata' }, runsc },
  });
  assert.match(changed, /^\{\n\t"log-opts"/);
  for (const empty of ['', '\n', '{}']) {
    assert.deepEqual(JSON.parse(withRuntime(empty, file, program)), { runtimes: { runsc } });
  }
});

test('an existing runtime stays unchanged', () => {
  const content = '{"runtimes":{"runsc":{"path":"/opt/runsc","runtimeArgs":["--network=host"]}}}';
  assert.equal(withRuntime(content, file, program), content);
});

test('an invalid configuration is refused and not overwritten', () => {
  for (const content of ['{"a":', '[]', 'null', '{"runtimes": []}', '# nothing']) {
    assert.throws(() => withRuntime(content, file, program), SetUpError, content);
  }
});

test('the configuration file is the one that the daemon reads', () => {
  assert.equal(configurationFile(['/usr/bin/dockerd', '-H', 'fd://']), file);
  assert.equal(configurationFile(['dockerd', '--config-file', '/srv/d.json']), '/srv/d.json');
  assert.equal(configurationFile(['dockerd', '--config-file=/srv/d.json', '-D']), '/srv/d.json');
});
