/**
 * Docker's events about our containers, as hints that something changed. All listeners share one connection. It stays
 * open while there are listeners and reconnects by itself. Nothing depends on seeing every event.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { createBackoff } from '../../lib/backoff.ts';
import { labelKeys, labelSelector } from '../labels.ts';

/** Events that can change a result of `observe`. Probes of health checks (`exec_…`) would be several per second. */
const actions = ['start', 'die', 'oom', 'destroy', 'health_status', 'pause', 'unpause', 'update'];

const pauses = { firstMs: 50, longestMs: 5_000 };

/** The number of events that are remembered for `hasChangedSince`. */
const memorySize = 1_000;

export type Listener = (deploymentId: string) => void;

export type Events = {
  /** Without a connection so far, the engine replays the events since `sinceMs` (epoch). */
  listen(listener: Listener, signal: AbortSignal, sinceMs?: number): void;
  /** Publishes a change that was found in another way. */
  notify(deploymentId: string): void;
  /** The number of the last event; a mark for `hasChangedSince`. */
  mark(): number;
  hasChangedSince(deploymentId: string, mark: number): boolean;
  /** Returns whether there are listeners. Without listeners, marks are meaningless. */
  isListening(): boolean;
};

export function createEvents(docker: Docker, owner: string): Events {
  const listeners = new Set<Listener>();
  const recent: { deploymentId: string; number: number }[] = [];
  let last = 0;
  let connection: AbortController | undefined;

  function deliver(deploymentId: string): void {
    recent.push({ deploymentId, number: ++last });
    if (recent.length > memorySize) recent.shift();
    for (const listener of [...listeners]) listener(deploymentId);
  }

  return {
    listen(listener, signal, sinceMs = Date.now()) {
      if (signal.aborted) return;
      listeners.add(listener);
      if (!connection) {
        connection = new AbortController();
        void follow(docker, owner, sinceMs, deliver, connection.signal);
      }
      const end = () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        connection?.abort();
        connection = undefined;
      };
      signal.addEventListener('abort', end, { once: true });
    },

    notify: deliver,
    mark: () => last,
    isListening: () => connection !== undefined,

    hasChangedSince: (deploymentId, mark) =>
      recent.some((event) => event.number > mark && event.deploymentId === deploymentId),
  };
}

async function follow(
  docker: Docker,
  owner: string,
  sinceMs: number,
  deliver: Listener,
  signal: AbortSignal,
): Promise<void> {
  const filters = { type: ['container' as const], event: actions, label: labelSelector(owner) };
  let since = sinceMs / 1000;
  const backoff = createBackoff(pauses);
  let isFirst = true;
  while (!signal.aborted) {
    const mayHaveMissed = !isFirst;
    isFirst = false;
    try {
      const stream = await docker.getEvents({ since, filters, abortSignal: signal });
      backoff.reset();
      // A restarted engine has lost earlier events and has ended containers.
      if (mayHaveMissed) for (const deploymentId of await deploymentsOf(docker, owner)) deliver(deploymentId);
      for await (const line of createInterface({ input: stream })) {
        const { deploymentId, seconds } = readEvent(line);
        since = seconds ?? since;
        if (deploymentId && !signal.aborted) deliver(deploymentId);
      }
    } catch {
      // The engine is away, or the connection was interrupted: the loop sees to both.
    }
    await delay(backoff.next(), undefined, { signal }).catch(() => {});
  }
}

async function deploymentsOf(docker: Docker, owner: string): Promise<Set<string>> {
  const containers = await docker.listContainers({ all: true, filters: { label: labelSelector(owner) } });
  return new Set(containers.flatMap(({ Labels }) => Labels[labelKeys.deployment] ?? []));
}

type DockerEvent = { timeNano?: number; Actor?: { Attributes?: Record<string, string> } };

function readEvent(line: string): { deploymentId?: string; seconds?: number } {
  if (line.trim() === '') return {};
  const { timeNano, Actor } = JSON.parse(line) as DockerEvent;
  const deploymentId = Actor?.Attributes?.[labelKeys.deployment];
  return { ...(deploymentId && { deploymentId }), ...(timeNano && { seconds: timeNano / 1e9 }) };
}
