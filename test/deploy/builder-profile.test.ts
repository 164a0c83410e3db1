/** The seccomp profile of builders that operators put on the nodes of a cluster. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { seccompProfile } from '../../src/engine/docker/containers/seccomp.ts';

const file = join(import.meta.dirname, '../../deploy/kubernetes/builds/builder.json');

type DockerProfile = {
  defaultAction: string;
  archMap: { architecture: string; subArchitectures: string[] }[];
  syscalls: object[];
};

test('nodes get the profile of builders on Docker, for both architectures', async () => {
  const profiles = ['amd64', 'arm64'].map((each) => JSON.parse(seccompProfile(each, true)!) as DockerProfile);
  const architectures = profiles.flatMap(({ archMap }) =>
    archMap.flatMap(({ architecture, subArchitectures }) => [architecture, ...subArchitectures]),
  );
  const [{ defaultAction, syscalls }] = profiles as [DockerProfile, DockerProfile];
  assert.deepEqual(profiles[1]!.syscalls, syscalls);
  const expected = { defaultAction, architectures, syscalls };
  if (process.env.WRITE_GOLDEN === '1') await writeFile(file, JSON.stringify(expected, null, 2));
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), expected);
});
