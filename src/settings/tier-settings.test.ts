import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { capsOf, strangerCapsOf } from '../deployment/limits/count-limits.ts';
import { readSettings } from './settings.ts';
import { defaultTiersText } from './tier-settings.ts';

const read = (text: string) => readSettings({ BERTH_TIERS: text });

test('plans are read from one line; reservations and a lifetime need not be said', () => {
  const settings = read(
    'hobby deployments=1 memory=512Mi lifetime=30d;\n team deployments=5 memory=2Gi reservations=yes egress=none exec=yes;',
  );
  assert.ok(settings.ok);
  assert.deepEqual(settings.settings.tiers, [
    { name: 'hobby', deployments: 1, memoryBytes: 2 ** 29, allowsReservations: false, lifetimeMs: 30 * 86_400_000 },
    {
      name: 'team',
      deployments: 5,
      memoryBytes: 2 ** 31,
      allowsReservations: true,
      lifetimeMs: null,
      egress: { kind: 'none' },
      allowsExec: true,
    },
  ]);
});

test('what pods run in can be said of plans where a cluster can choose, and nowhere else', () => {
  const BERTH_TIERS = 'free deployments=1 memory=1Gi runtime=runsc; pro deployments=9 memory=1Gi';
  const settings = readSettings({ BERTH_TIERS, BERTH_ENGINE: 'kubernetes' });
  assert.ok(settings.ok);
  assert.deepEqual(
    settings.settings.tiers.map(({ runtime }) => runtime),
    ['runsc', undefined],
  );
  const onDocker = readSettings({ BERTH_TIERS });
  assert.match(
    String(!onDocker.ok && onDocker.mistakes),
    /runtime= of plan free, which requires BERTH_ENGINE=kubernetes/,
  );
  const unknown = readSettings({
    BERTH_TIERS: 'free deployments=1 memory=1Gi runtime=kata',
    BERTH_ENGINE: 'kubernetes',
  });
  assert.match(String(!unknown.ok && unknown.mistakes), /runc.*runsc/);
});

test('what images may have, and how many come at a time, can be said of plans and of strangers', () => {
  const settings = readSettings({
    BERTH_TIERS: 'a deployments=2 memory=1Gi; b deployments=9 memory=1Gi image-size=2Gi image-unpacked=5Gi pulls=8',
    BERTH_STRANGERS: 'session=1 address=1 memory=1Gi pulls=2',
  });
  assert.ok(settings.ok);
  const { tiers, strangers } = settings.settings;
  assert.deepEqual(
    tiers.map(({ pulls }) => pulls),
    [undefined, { compressedBytes: 2 ** 31, unpackedBytes: 5 * 2 ** 30, atOnce: 8 }],
  );
  assert.deepEqual(strangers.pulls, { atOnce: 2 });
  const refused = read('a deployments=1 memory=1Gi pulls=0');
  assert.match(String(!refused.ok && refused.mistakes), /from 1 to 1000/);
});

test('how many containers, volumes and GPUs a plan allows can be said, and else follows from its deployments', () => {
  const settings = read(
    'a deployments=2 memory=1Gi; b deployments=9 memory=1Gi volumes=5 gpus=1 deployment-containers=7',
  );
  assert.ok(settings.ok);
  const [a, b] = settings.settings.tiers.map(capsOf);
  const usual = { containersPerDeployment: 60, volumesPerDeployment: 64 };
  assert.deepEqual(a, { ...usual, containers: 60, volumes: 64, gpus: 0 });
  assert.deepEqual(b, { ...usual, containersPerDeployment: 7, containers: 180, volumes: 5, gpus: 1 });
});

test('those who have no account have what is said, and else what follows from their deployments', () => {
  const said = (text: string) => {
    const settings = readSettings({ BERTH_STRANGERS: text });
    return settings.ok ? strangerCapsOf(settings.settings.strangers) : settings.mistakes;
  };
  const usual = { containersPerDeployment: 60, volumesPerDeployment: 64, gpus: 0 };
  assert.deepEqual(said(''), {
    ...usual,
    containers: 400,
    volumes: 200,
    containersPerSession: 200,
    volumesPerSession: 100,
  });
  assert.deepEqual(said('memory=1Gi volumes=7 session-volumes=3 session=1 address=1'), {
    ...usual,
    containers: 60,
    volumes: 7,
    containersPerSession: 60,
    volumesPerSession: 3,
  });
  for (const text of [
    'session=1 address=1',
    'session=1 address=1 memory=1Gi colour=red',
    'session=1 address=1 memory=1Gi volumes',
  ])
    assert.match(
      String(said(text)),
      /must be such as .* images, image-size and image-unpacked \(5Gi\); pulls, containers, volumes, gpus/,
      text,
    );
  assert.match(String(said('session=1 address=1 memory=1Gi deployment-containers=61')), /from 1 to 60/);
});

test('what is wrong with a plan is said', () => {
  for (const [text, mistake] of [
    ['free', /must set deployments=… of plan free/],
    ['free deployments=1', /must set memory=… of plan free/],
    ['free deployments=one memory=1Gi', /must give deployments as a whole number/],
    ['free deployments=1 memory=lots', /must be a size such as 512Mi/],
    ['free deployments=1 memory=1Gi reservations=maybe', /must say reservations=yes or reservations=no/],
    ['free deployments=1 memory=1Gi exec=root', /must say exec=yes or exec=no/],
    ['free deployments=1 memory=1Gi lifetime=long', /must be a duration such as/],
    ['free deployments=1 memory=1Gi egress=some', /must be open, none, or networks such as/],
    [
      'free deployments=1 memory=1Gi colour=red',
      /must set only deployments, memory, reservations, lifetime, domains, images, egress, exec, runtime, containers, volumes, gpus, deployment-/,
    ],
    ['free deployments=1 memory=1Gi; free deployments=2 memory=1Gi', /must not name a plan twice/],
    ['Free! deployments=1 memory=1Gi', /must be plans such as/],
    [';', /must be plans such as/],
  ] as const) {
    const settings = read(text);
    assert.ok(!settings.ok, text);
    assert.match(settings.mistakes[0]!, mistake, text);
  }
});

test('without the setting the plans of the documentation apply', async () => {
  const settings = readSettings({});
  assert.ok(settings.ok);
  assert.deepEqual(
    settings.settings.tiers.map(({ name, deployments }) => [name, deployments]),
    [
      ['free', 3],
      ['pro', 20],
    ],
  );
  const page = await readFile(new URL('../../docs/guides/set-limits-and-plans.md', import.meta.url), 'utf8');
  assert.ok(page.includes(defaultTiersText));
});
