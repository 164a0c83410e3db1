import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FoundNamespace, hangingNamespaces, removalLeftMs } from './objects.ts';

const since = Date.parse('2026-01-01T00:00:00Z');

const namespace = (
  name: string,
  deletionTimestamp?: string,
  status: FoundNamespace['status'] = {},
): FoundNamespace => ({
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2025-12-31T00:00:00Z',
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  },
  status,
});

test('a namespace that is removed is waited for as long as that usually takes, and no longer', () => {
  const leaving = namespace('berth-a', '2026-01-01T00:00:00Z');
  assert.deepEqual(
    [0, 20_000, 60_000, 3_600_000].map((age) => removalLeftMs(leaving, since + age)),
    [60_000, 40_000, 0, 0],
  );
});

test('a namespace that hangs is reported with the cluster’s message; a living one or a recent removal is not', () => {
  const conditions = [
    { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', message: 'All resources successfully discovered' },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      message: 'Some resources are remaining: pods. has 1 instances',
    },
  ];
  const all = [
    namespace('berth-lives'),
    namespace('berth-goes', '2026-01-01T00:04:30Z'),
    namespace('berth-hangs', '2026-01-01T00:00:00Z', { conditions }),
    namespace('berth-silent', '2026-01-01T00:01:00Z'),
  ];
  assert.deepEqual(hangingNamespaces(all, since + 300_000), [
    { namespace: 'berth-hangs', since, because: 'Some resources are remaining: pods. has 1 instances' },
    { namespace: 'berth-silent', since: since + 60_000, because: 'the cluster does not say why' },
  ]);
});
