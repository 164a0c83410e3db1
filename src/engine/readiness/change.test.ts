import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForChange } from './change.ts';
import { createProbe, type ProbedReadiness } from './probe.ts';

const upMs = 1_000_000;

/** A workload whose own probe reports readiness. `reportedReady`: whether it was ready at the last observation. */
async function waiting({ reportedReady }: { reportedReady: boolean }) {
  const times = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3 };
  const readiness: ProbedReadiness = { kind: 'command', command: ['true'], ...times };
  const parts = { address: '127.0.0.1', startedAtMs: 0, uptime: () => upMs, minPeriodMs: 10_000 };
  const probe = createProbe({ readiness, ...parts, runCheck: async () => undefined, listens: async () => false });
  await probe.attempt();
  const name = 'shop-web';
  const its = { name, pod: 'web', revision: 1, replica: 0, fingerprint: '', restarts: 0 };
  const workload = { ...its, phase: 'running', isReady: false } as const;
  const observed = { hasNetwork: true, volumes: [], images: { present: [], local: [] }, workloads: [workload] };
  const state = { phase: 'running', startedAtMs: 0, restarts: 0, pid: 0 } as const;
  const known = [{ name, labels: { readiness }, state, probe, reportedReady }];
  let notify = (_: string) => {};
  const changes = {
    hasChangedSince: () => false,
    listen: (listener: typeof notify) => {
      notify = listener;
    },
  };
  const signal = new AbortController().signal;
  const request = { deploymentId: 'shop', observed, mark: { event: 0, atMs: 0 }, known, timeoutMs: 60_000, signal };
  let isOver = false;
  const ended = waitForChange(changes, request, () => upMs).then(() => {
    isOver = true;
  });
  await delay(20);
  return { isOver: () => isOver, ended, notify: () => notify('shop') };
}

test('who became ready after he was looked at is looked at again at once', async () => {
  const { ended } = await waiting({ reportedReady: false });
  await ended;
});

test('who answers, and is not ready for another reason, is looked at again when something happens to him', async () => {
  const { isOver, ended, notify } = await waiting({ reportedReady: true });
  assert.equal(isOver(), false);
  notify();
  await ended;
});
