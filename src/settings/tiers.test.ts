import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readSettings } from './settings.ts';
import { defaultTiersText } from './tiers.ts';

const read = (text: string) => readSettings({ BERTH_TIERS: text });

test('plans are read from one line; reservations and a lifetime need not be said', () => {
  const settings = read(
    'hobby deployments=1 memory=512Mi lifetime=30d;\n team deployments=5 memory=2Gi reservations=yes egress=none;',
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
    },
  ]);
});

test('what is wrong with a plan is said', () => {
  for (const [text, mistake] of [
    ['free', /must say deployments=… of plan free/],
    ['free deployments=1', /must say memory=… of plan free/],
    ['free deployments=one memory=1Gi', /must count deployments with a whole number/],
    ['free deployments=1 memory=lots', /must be a size such as 512Mi/],
    ['free deployments=1 memory=1Gi reservations=maybe', /must say reservations=yes or reservations=no/],
    ['free deployments=1 memory=1Gi lifetime=long', /must be a duration such as/],
    ['free deployments=1 memory=1Gi egress=some', /must be open, none, or networks such as/],
    [
      'free deployments=1 memory=1Gi colour=red',
      /must give plan free only deployments, memory, reservations, lifetime, egress/,
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
  const page = await readFile(new URL('../../docs/accounts.md', import.meta.url), 'utf8');
  assert.ok(page.includes(defaultTiersText));
});
