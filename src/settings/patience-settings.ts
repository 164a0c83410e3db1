/** Timeouts: of deploys, requests in progress, other edges, registries, and restores; and when deployments sleep. */
import type { SleepPolicy } from '../deployment/sleep.ts';
import { duration, fieldGroup, type Table } from './setting-values.ts';

type Timeouts = {
  deployDeadlineMs: number;
  listenPatienceMs: number;
  drainMs: number;
  edgeSilenceMs: number;
  registryPatienceMs: number;
};

export type PatienceSettings = Timeouts & SleepPolicy & { graceMs: number };

export const patienceTable = {
  timeouts: fieldGroup<Timeouts>(
    'TIMEOUTS',
    'deploy: a deploy fails after this time without progress; listen: a pod fails if it listens only on the wrong port and does not change for this time; drain: maximum time for open requests and WebSockets on workloads that an update replaces; edge: with PostgreSQL and several edges, how long an edge serves without contact to the others, and how long they wait for it; registry: how long a registry may send almost nothing before the pull is stopped and retried later',
    {
      deployDeadlineMs: { name: 'deploy', default: '10m', read: duration },
      listenPatienceMs: { name: 'listen', default: '60s', read: duration },
      drainMs: { name: 'drain', default: '30s', read: duration },
      edgeSilenceMs: { name: 'edge', default: '30s', read: duration },
      registryPatienceMs: { name: 'registry', default: '30s', read: duration },
    },
  ),
  sleep: fieldGroup<SleepPolicy>(
    'SLEEP',
    'when unused deployments sleep, until the next request wakes them up; free: freeze the processes of free deployments after this time; claimed: the same for claimed deployments; stop: remove the containers of claimed deployments after this time; 0s: never',
    {
      freezeAfterMs: { name: 'free', default: '10m', read: duration },
      freezeClaimedAfterMs: { name: 'claimed', default: '30m', read: duration },
      stopAfterMs: { name: 'stop', default: '24h', read: duration },
    },
  ),
  graceMs: {
    variable: 'GRACE',
    default: '24h',
    help: 'how long the volumes of an expired or removed deployment are kept for a restore; 0s: not at all',
    read: duration,
  },
} satisfies Table<{ timeouts: Timeouts; graceMs: number; sleep: SleepPolicy }>;
