import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Labels } from '../labels.ts';
import { lastExitOf } from '../readiness/container-state.ts';
import type { ContainerStatus, FoundController, FoundPod } from './objects.ts';
import { podFacts } from './pods.ts';

const controller: FoundController = {
  metadata: { name: 'web-1-0', uid: 'c', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
};

type Status = NonNullable<FoundPod['status']>;

const pod = (status: Status, name = 'one', createdAt = '2026-01-01T00:00:01Z'): FoundPod => ({
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: createdAt },
  spec: { containers: [{ resources: { limits: { memory: '64Mi' }, requests: { memory: '4Gi', cpu: '500m' } } }] },
  status,
});

const withContainer = (container: Partial<ContainerStatus>, more: Status = {}): FoundPod =>
  pod({ podIP: '10.244.0.7', ...more, containerStatuses: [{ restartCount: 0, ...container }] });

const terminated = (exitCode: number, reason = 'Error') => ({
  terminated: { exitCode, reason, finishedAt: '2026-01-01T00:01:00Z', containerID: 'containerd://a' },
});

const facts = (...pods: FoundPod[]) => podFacts(controller, pods, false);

test('a workload that was scaled to zero is to be started, and one that is stopped for a copy is not', () => {
  const phaseOf = (labels: Labels) => {
    const metadata = { ...controller.metadata, labels };
    return podFacts({ ...controller, metadata, spec: { replicas: 0 } }, [], false).phase;
  };
  assert.deepEqual([phaseOf({}), phaseOf({ 'berth.copy': 'monday' })], ['created', 'running']);
});

test('a container that runs has an address; one that does not has none', () => {
  const running = facts(withContainer({ state: { running: { startedAt: '2026-01-01T00:00:02Z' } } }));
  assert.deepEqual([running.phase, running.pod?.address, running.obstacle], ['running', '10.244.0.7', undefined]);
  assert.equal(facts(withContainer({ state: { waiting: { reason: 'ContainerCreating' } } })).pod?.address, undefined);
});

test('a crash loop is reported with its code, and an out-of-memory kill with its limit', () => {
  const waiting = { waiting: { reason: 'CrashLoopBackOff' } };
  const crashed = facts(withContainer({ restartCount: 2, state: waiting, lastState: terminated(1) }));
  assert.deepEqual([crashed.restarts, crashed.hasEnded, crashed.obstacle], [2, true, undefined]);
  assert.deepEqual(lastExitOf(crashed.lastExit!).reason, 'exited with code 1');
  const killed = facts(withContainer({ restartCount: 1, state: waiting, lastState: terminated(137, 'OOMKilled') }));
  assert.equal(lastExitOf(killed.lastExit!).reason, 'killed for memory (limit 64 MiB)');
});

test('obstacles of a pod are reported in words', () => {
  const waiting = (reason: string, message = '') => withContainer({ state: { waiting: { reason, message } } });
  const unscheduled = (message: string) => pod({ conditions: [{ type: 'PodScheduled', status: 'False', message }] });
  const cases: [FoundPod, string][] = [
    [waiting('ImagePullBackOff'), 'its image cannot be pulled by the node'],
    [
      waiting('CreateContainerError', 'exec: "nothing": executable file not found in $PATH'),
      'cannot be started: its image does not contain this program',
    ],
    [waiting('RunContainerError', 'permission denied'), 'cannot be started: its program may not be executed'],
    [
      withContainer({ lastState: terminated(128, 'StartError'), state: { waiting: { reason: 'CrashLoopBackOff' } } }),
      'cannot be started by its node',
    ],
    [
      unscheduled('0/3 nodes are available: 1 Insufficient cpu, 3 Insufficient memory.'),
      'no node has 4 GiB of memory and 0.5 of a processor free',
    ],
    [
      unscheduled('0/1 nodes are available: 1 pod has unbound immediate PersistentVolumeClaims.'),
      'its volume cannot be bound: the cluster has none for it',
    ],
    [unscheduled('0/2 nodes are available: 2 Insufficient nvidia.com/gpu.'), 'no node has a GPU free'],
    [unscheduled('0/1 nodes are available: 1 node(s) had taint'), 'no node takes it'],
    [
      pod({ reason: 'Evicted', message: 'Pod ephemeral local storage usage exceeds the total limit' }),
      'evicted for disk: it wrote too much outside of its volumes',
    ],
    [
      pod({ reason: 'Evicted', message: 'The node was low on resource: memory.' }),
      'evicted: its node was short of memory',
    ],
    [pod({}), 'is on its way to a node'],
  ];
  for (const [found, words] of cases) assert.equal(facts(found).obstacle?.words, words);
});

test('nothing of the node is in the words of an obstacle', () => {
  const message = 'failed to create /var/lib/kubelet/pods/1234/volumes: odd';
  const found = withContainer({ state: { waiting: { reason: 'CreateContainerConfigError', message } } });
  assert.equal(facts(found).obstacle?.words, 'cannot be created: failed to create … odd');
});

test('the youngest pod that is not being removed counts; without one, the cluster is about to create it', () => {
  const running = { state: { running: { startedAt: '2026-01-01T00:00:02Z' } } };
  const young = { ...withContainer(running), metadata: pod({}, 'young', '2026-01-01T00:05:00Z').metadata };
  assert.equal(facts(young, withContainer(running)).pod?.name, 'young');
  const leaving = { ...young, metadata: { ...young.metadata, deletionTimestamp: '2026-01-01T00:06:00Z' } };
  assert.equal(facts(leaving).pod, undefined);
});

test('each try of a job is a pod: its failures are restarts, and the last one is its end', () => {
  const failed = withContainer({ state: terminated(3) });
  const job = (status: FoundController['status']) =>
    podFacts({ ...controller, ...(status && { status }) }, [failed], true);
  assert.deepEqual([job({ failed: 2 }).phase, job({ failed: 2 }).restarts], ['running', 2]);
  const givenUp = job({ failed: 4, conditions: [{ type: 'Failed', status: 'True' }] });
  assert.deepEqual([givenUp.phase, givenUp.restarts, lastExitOf(givenUp.lastExit!).code], ['exited', 3, 3]);
  const done = podFacts(
    { ...controller, status: { succeeded: 1, failed: 1, conditions: [{ type: 'Complete', status: 'True' }] } },
    [withContainer({ state: terminated(0, 'Completed') })],
    true,
  );
  assert.deepEqual([done.phase, done.restarts, lastExitOf(done.lastExit!).code], ['exited', 1, 0]);
});

test('a job has ended as soon as its pod has ended well, whether the cluster counts it already or not', () => {
  const early = podFacts(controller, [withContainer({ state: terminated(0, 'Completed') })], true);
  assert.deepEqual([early.phase, early.hasEnded, early.restarts], ['exited', true, 0]);
  const between = podFacts(controller, [withContainer({ state: terminated(3) })], true);
  assert.deepEqual([between.phase, between.hasEnded], ['running', true]);
});

test('an eviction is the last end of the pod that has come after it, and counts as a restart', () => {
  const message = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.';
  const evicted = pod({ reason: 'Evicted', phase: 'Failed', message });
  const running = { state: { running: { startedAt: '2026-01-01T00:05:03Z' } } };
  const after = { ...withContainer(running), metadata: pod({}, 'after', '2026-01-01T00:05:00Z').metadata };
  const { restarts, lastExit, obstacle, hasEnded } = facts(evicted, after);
  assert.deepEqual([restarts, obstacle, hasEnded], [1, undefined, false]);
  assert.deepEqual(lastExitOf(lastExit!), {
    code: 137,
    reason: 'evicted for disk: it wrote too much outside of its volumes',
    hint: 'write its data into a volume',
    at: Date.parse('2026-01-01T00:05:00Z'),
  });
});

test('a program that cannot be started ends with the code that a shell has for it', () => {
  const ends = (message: string) => {
    const { terminated: ended } = terminated(128, 'StartError');
    return facts(withContainer({ restartCount: 5, lastState: { terminated: { ...ended, message } } })).lastExit?.code;
  };
  assert.deepEqual(
    ['exec: "x": executable file not found in $PATH', 'exec: "/x": permission denied', 'odd'].map(ends),
    [127, 126, 128],
  );
});
