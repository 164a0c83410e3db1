import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packagesIn, setUpMark } from './installed-packages.ts';

const entry = (options: string, names: string, installed: string) =>
  `\nStart-Date: 2026-01-01  10:00:00\nCommandline: apt-get --quiet --yes ${options} install --no-install-recommends ${names}\n${installed}\nEnd-Date: 2026-01-01  10:00:05\n`;

test('only packages that the set-up installed are named, without their dependencies and versions', () => {
  const history = [
    entry('', 'vim', 'Install: vim:amd64 (9)'),
    entry(`--option ${setUpMark}`, 'haproxy', 'Install: liblua5.3-0:amd64 (5, automatic), haproxy:amd64 (2.6)'),
    entry(`--option ${setUpMark}`, 'runsc=0.0~2024', 'Install: runsc:amd64 (0.0~2024)'),
  ];
  assert.deepEqual(packagesIn(history.join('\n')), ['haproxy', 'runsc']);
});

test('a package that existed before and was only upgraded is not ours', () => {
  assert.deepEqual(packagesIn(entry(`--option ${setUpMark}`, 'restic', 'Upgrade: restic:amd64 (0.14, 0.15)')), []);
});
