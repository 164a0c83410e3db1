/** The set-up starts an engine that lives longer than anything else here: what it may know of the service. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startDetached } from '../../scripts/setup/engine-process.ts';
import type { Host } from '../../scripts/setup/host.ts';
import { until } from '../scenarios/berth.ts';

const host: Host = { isDebianLike: true, privilege: 'root', hasSystemd: false };

/** In place of dockerd: says what it was given, as `/proc/<pid>/environ` would for as long as an engine runs. */
const standIn = `#!/bin/sh
/usr/bin/env > "$0.environment.new"
/bin/mv "$0.environment.new" "$0.environment"
`;

test('an engine that the set-up starts gets nothing of the environment but its path, its home and its proxies', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-engine-'));
  const dockerd = join(folder, 'dockerd');
  const given = {
    PATH: `${folder}:/usr/bin:/bin`,
    HOME: '/root',
    HTTPS_PROXY: 'http://proxy.test:3128',
    no_proxy: '.test',
    DOCKER_TMPDIR: '/var/tmp',
    BERTH_SECRET_KEY: 'planted',
    BERTH_SMTP_URL: 'smtp://berth:planted@mail.test',
    AWS_SECRET_ACCESS_KEY: 'planted',
    GITHUB_TOKEN: 'planted',
    NODE_OPTIONS: '--no-warnings',
  };
  try {
    await writeFile(dockerd, standIn);
    await chmod(dockerd, 0o700);
    await startDetached(host, join(folder, 'log'), given);
    const seen = await until('it has reported its environment', () =>
      readFile(`${dockerd}.environment`, 'utf8').catch(() => undefined),
    );
    assert.doesNotMatch(seen, /planted/);
    // A shell adds names of its own.
    const names = seen.split('\n').map((line) => line.replace(/=.*/, ''));
    const own = ['', 'PWD', 'OLDPWD', 'SHLVL', '_'];
    assert.deepEqual(names.filter((name) => !own.includes(name)).sort(), [
      'DOCKER_TMPDIR',
      'HOME',
      'HTTPS_PROXY',
      'PATH',
      'no_proxy',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
