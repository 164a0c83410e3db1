/** Timeouts: of deploys, requests in progress, other edges, and restores. */
import { duration, type Setting } from './setting-values.ts';

export type PatienceSettings = {
  deployDeadlineMs: number;
  listenPatienceMs: number;
  drainMs: number;
  edgeSilenceMs: number;
  graceMs: number;
};

export const patienceTable = {
  deployDeadlineMs: {
    variable: 'DEPLOY_DEADLINE',
    default: '10m',
    help: 'a deploy fails after this time without progress',
    read: duration,
  },
  listenPatienceMs: {
    variable: 'LISTEN_PATIENCE',
    default: '60s',
    help: 'a pod fails if it listens only on the wrong port and does not change for this time',
    read: duration,
  },
  drainMs: {
    variable: 'DRAIN',
    default: '30s',
    help: 'maximum time for open requests and WebSockets on workloads that an update replaces',
    read: duration,
  },
  edgeSilenceMs: {
    variable: 'EDGE_SILENCE',
    default: '30s',
    help: 'with PostgreSQL and several edges, how long an edge serves without contact to the others, and how long they wait for it',
    read: duration,
  },
  graceMs: {
    variable: 'GRACE',
    default: '24h',
    help: 'how long the volumes of an expired or removed deployment are kept for a restore; 0s: not at all',
    read: duration,
  },
} satisfies { [K in keyof PatienceSettings]: Setting<PatienceSettings[K]> };
