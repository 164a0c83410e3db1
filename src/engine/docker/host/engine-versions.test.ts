import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outdatedPrograms } from './runtime.ts';

test('a version below the oldest supported one is reported, with any suffix that a distribution appends', () => {
  const isOutdated = (Name: string, Version: string) => outdatedPrograms([{ Name, Version }], 'runc').length > 0;
  for (const version of ['1.1.5+ds1', '1.0.0~rc93+ds1-5+deb11u3', '1.3.5'])
    assert.ok(isOutdated('runc', version), version);
  for (const version of ['1.3.6-0ubuntu1~24.04.1', '1.10.0', '2.0.0', 'dev'])
    assert.ok(!isOutdated('runc', version), version);
  assert.ok(isOutdated('Engine', '18.06.1-ce') && isOutdated('containerd', 'v1.6.20~ds1'));
  assert.ok(
    !isOutdated('Engine', '29.5.1') && !isOutdated('containerd', '2.1.9') && !isOutdated('docker-init', '0.19.0'),
  );
});

test('the warning names the version, the oldest supported one and the advisories; with gVisor runc makes no containers', () => {
  const runc = [{ Name: 'runc', Version: '1.1.11' }];
  assert.deepEqual(outdatedPrograms(runc, 'runsc'), []);
  assert.deepEqual(outdatedPrograms(runc, 'runc'), [
    'runc 1.1.11 is older than 1.3.6: containers may be able to reach this machine. Update it, unless your distribution has fixed this version. Advisories: https://github.com/opencontainers/runc/security/advisories',
  ]);
});
