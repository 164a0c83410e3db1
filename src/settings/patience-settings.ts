/** The settings about how long is waited: for a deploy, for requests under way, for other edges, for a restore. */
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
    help: 'without progress for this long, a deploy has failed',
    read: duration,
  },
  listenPatienceMs: {
    variable: 'LISTEN_PATIENCE',
    default: '60s',
    help: 'a pod that listens on another port than its own, and changes nothing for so long, has failed',
    read: duration,
  },
  drainMs: {
    variable: 'DRAIN',
    default: '30s',
    help: 'most time for requests and WebSockets under way on workloads that an update replaces',
    read: duration,
  },
  edgeSilenceMs: {
    variable: 'EDGE_SILENCE',
    default: '30s',
    help: 'with PostgreSQL, how long one of several edges answers without word of the others, and they wait for it',
    read: duration,
  },
  graceMs: {
    variable: 'GRACE',
    default: '24h',
    help: 'how long the volumes of what has expired or was removed are kept, so that it can be restored; 0s: not at all',
    read: duration,
  },
} satisfies { [K in keyof PatienceSettings]: Setting<PatienceSettings[K]> };
