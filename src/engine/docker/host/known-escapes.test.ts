import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeWords, knownEscapes } from './known-escapes.ts';

/** The names of all that this version has. */
const names = (Name: string, Version: string) =>
  knownEscapes([{ Name, Version }], 'runc')
    .flatMap(({ escapes }) => escapes.flatMap((each) => each.names))
    .join(' ');

const of2025 = 'CVE-2025-31133 CVE-2025-52565 CVE-2025-52881';
const of2026 = 'CVE-2026-41579';

test('runc has the ways out of its version, by series', () => {
  const versions: Record<string, string> = {
    '1.0.0-rc6': `CVE-2019-5736 CVE-2021-30465 ${of2025} ${of2026}`,
    '1.0.0-rc7': `CVE-2021-30465 ${of2025} ${of2026}`,
    '1.0.0-rc92': `CVE-2021-30465 ${of2025} ${of2026}`,
    '1.0.0-rc93': `CVE-2021-30465 CVE-2024-21626 ${of2025} ${of2026}`,
    '1.0.0-rc95': `CVE-2024-21626 ${of2025} ${of2026}`,
    '1.1.11': `CVE-2024-21626 ${of2025} ${of2026}`,
    '1.1.12': `${of2025} ${of2026}`,
    '1.1.15': `${of2025} ${of2026}`,
    '1.2.0-rc.1': `${of2025} ${of2026}`,
    '1.2.7': `${of2025} ${of2026}`,
    '1.2.8': of2026,
    '1.3.2': `${of2025} ${of2026}`,
    '1.3.3': of2026,
    '1.3.6': '',
    '1.4.0-rc.2': `${of2025} ${of2026}`,
    '1.4.0-rc.3': of2026,
    '1.4.0': of2026,
    '1.4.3': '',
    '1.5.0-rc.2': of2026,
    '1.5.0-rc.3': '',
    '1.5.0': '',
    '1.10.0': '',
    '2.0.0': '',
  };
  for (const [version, expected] of Object.entries(versions)) assert.equal(names('runc', version), expected, version);
});

test('Docker and containerd have those of theirs', () => {
  const since2026 = 'CVE-2026-41567 CVE-2026-41568 CVE-2026-42306';
  assert.equal(names('Engine', '18.06.1-ce'), `CVE-2018-15664 ${since2026}`);
  assert.equal(names('Engine', '19.03.0'), `CVE-2019-14271 ${since2026}`);
  assert.equal(names('Engine', '28.5.2'), since2026);
  assert.equal(names('Engine', '29.5.1'), '');
  assert.equal(names('containerd', '1.3.8'), 'CVE-2020-15257 CVE-2022-23648 CVE-2026-53488');
  assert.equal(names('containerd', '1.5.10'), 'CVE-2026-53488');
  assert.equal(names('containerd', 'v2.1.0'), 'CVE-2025-47290 CVE-2026-53488 CVE-2026-53492');
  assert.equal(names('containerd', '2.1.0-beta.1'), 'CVE-2026-53488');
  assert.equal(names('containerd', '2.0.10'), '');
  assert.equal(names('containerd', '2.3.2'), '');
});

test("a distribution's mark behind the number changes nothing", () => {
  assert.equal(names('runc', '1.1.5+ds1'), names('runc', '1.1.5'));
  assert.equal(names('runc', '1.0.0~rc93+ds1-5+deb11u3'), names('runc', '1.0.0-rc93'));
  assert.equal(names('runc', '1.3.6-0ubuntu1~24.04.1'), '');
  assert.equal(names('containerd', '1.6.20~ds1'), 'CVE-2026-53488');
});

test('nothing is told of what has no number, of other programs, and of runc where gVisor makes the containers', () => {
  assert.equal(names('runc', 'dev'), '');
  assert.equal(names('Podman Engine', '3.0.1'), '');
  assert.equal(names('docker-init', '0.19.0'), '');
  assert.deepEqual(knownEscapes([{ Name: 'runc', Version: '1.1.11' }], 'runsc'), []);
});

test('the warning says what it takes, where it ends, and that the number may deceive', () => {
  const [found] = knownEscapes([{ Name: 'containerd', Version: '1.4.2' }], 'runc');
  assert.equal(
    escapeWords({ ...found!, escapes: found!.escapes.slice(0, 1) }),
    "containerd 1.4.2 has known ways out of a container: CVE-2020-15257 (fixed in 1.3.9, 1.4.3; takes the machine's own network; no container of Berth's has it). Update it, unless your distribution has mended it under this number, as its security tracker tells",
  );
});
