/** Options of the benchmark's command line. */
import { parseArgs } from 'node:util';
import type { CertificateOptions } from './certificates.ts';
import type { GuardOptions } from './guards.ts';
import { type LoopOptions, loopStores } from './loop.ts';
import type { RenewalOptions } from './renewals.ts';
import type { SleepOptions } from './sleep.ts';
import type { SnapshotOptions } from './snapshots.ts';
import type { StoreOptions } from './store.ts';

/** The measured parts, in this order. */
export const parts = [
  'live',
  'latency',
  'updates',
  'neighbour',
  'density',
  'loop',
  'guards',
  'store',
  'cli',
  'images',
  'builds',
  'certificates',
  'renewals',
  'snapshots',
  'sleep',
] as const;
export type Part = (typeof parts)[number];

export type Options = {
  parts: readonly Part[];
  rounds: number;
  /** Rounds before those that count: the first start after a pause is slower for every contender. */
  warmUps: number;
  /** Requests for each row of the latencies. */
  requests: number;
  /** Rolling updates of one pod under a steady load. */
  updates: number;
  /** Deployments at the same time, and how long they are then left alone. */
  density: { deployments: number; idleSeconds: number };
  /** Windows of quiet, and as many of an attack on the neighbours. */
  windows: number;
  /** Live deployments on the engine in memory. */
  loop: LoopOptions;
  /** An API, quiet for so long and then under attack. */
  guards: GuardOptions;
  /** Deployments in the store, and requests of each kind. */
  store: StoreOptions;
  /** Settings of the service under test, by their variables, in addition to those that the benchmark needs. */
  settings: Record<string, string>;
  /** Starts of the command line. */
  commands: number;
  /** Certificates of an edge, and the number of later ones. */
  certificates: CertificateOptions;
  /** Visitors of an edge whose certificates are replaced continuously. */
  renewals: RenewalOptions;
  /** Snapshots of a volume while the application has visitors. */
  snapshots: SnapshotOptions;
  /** Wakes of frozen deployments, and of stopped ones. */
  sleep: SleepOptions;
  isSmoke: boolean;
};

const defaults = {
  rounds: 5,
  requests: 100,
  updates: 20,
  windows: 4,
  commands: 10,
  density: { deployments: 200, idleSeconds: 30 },
  loop: { deployments: [10, 100, 1_000, 10_000, 100_000], idleSeconds: 30, starts: 20, stores: loopStores },
  guards: { seconds: 20 },
  store: { deployments: 100_000, requests: 200 },
  certificates: { count: 5_000, changes: 50 },
  renewals: { seconds: 20, perSecond: 200 },
  snapshots: { megabytes: 1_000, rounds: 15 },
  sleep: { wakes: 200, starts: 5 },
};
/** More networks than Docker's own pools have room for, which is 31. */
const smoke = {
  rounds: 1,
  warmUps: 0,
  requests: 10,
  updates: 2,
  windows: 1,
  commands: 2,
  density: { deployments: 36, idleSeconds: 5 },
  loop: { deployments: [10, 100], idleSeconds: 1, starts: 2, stores: loopStores },
  guards: { seconds: 2 },
  store: { deployments: 1_000, requests: 10 },
  certificates: { count: 100, changes: 5 },
  renewals: { seconds: 2, perSecond: 50 },
  snapshots: { megabytes: 20, rounds: 1 },
  sleep: { wakes: 2, starts: 1 },
};

export const help = `Measures Berth on this machine, against Docker Compose where it does the same.

  npm run bench                      everything: ${defaults.rounds} rounds, after one that does not count (about 25 minutes)
  npm run bench -- density updates   these parts of it alone; there are ${parts.join(', ')}
  npm run bench -- --rounds N        N rounds of the time to live
  npm run bench -- loop --deployments 10,10000 --store postgresql
                                     the loop with so many deployments alone, on one database
  npm run bench -- --with BERTH_DISK_RATE=100Mi/2000 neighbour
                                     with a setting of the service, to compare; also several times
  npm run bench -- --smoke           little of everything, in about a minute; needs no Compose

It brings what is missing (the engine, HAProxy, the images, Compose from a Debian package in a cache directory of its
own), runs a service of its own at a free port, and removes everything that it created.
`;

/** Throws an Error with words for the caller. */
export function readOptions(argv: string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      smoke: { type: 'boolean' },
      rounds: { type: 'string' },
      deployments: { type: 'string' },
      store: { type: 'string' },
      with: { type: 'string', multiple: true },
    },
  });
  if (values.help) return 'help';
  const unknown = positionals.find((word) => !parts.some((part) => part === word));
  if (unknown !== undefined) throw new Error(`Unknown part "${unknown}"; the parts are ${parts.join(', ')}.`);
  const isSmoke = values.smoke ?? false;
  const usual = isSmoke ? smoke : { ...defaults, warmUps: 1 };
  const loop = {
    ...usual.loop,
    ...(values.deployments !== undefined && { deployments: readCounts(values.deployments) }),
    ...(values.store !== undefined && { stores: loopStores.filter((store) => store === values.store) }),
  };
  if (loop.stores.length === 0) throw new Error(`--store takes ${loopStores.join(' or ')}, not "${values.store}"`);
  const chosen = {
    ...usual,
    loop,
    parts: parts.filter((part) => positionals.length === 0 || positionals.includes(part)),
    settings: Object.fromEntries((values.with ?? []).map(readSetting)),
    isSmoke,
  };
  if (values.rounds === undefined) return chosen;
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100)
    throw new Error('--rounds must be a number from 1 to 100');
  return { ...chosen, rounds };
}

function readCounts(text: string): number[] {
  const counts = text.split(',').map(Number);
  if (counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 1e6)) return counts;
  throw new Error(`--deployments takes numbers such as 10,10000, not "${text}"`);
}

function readSetting(text: string): [string, string] {
  const [, name, value] = /^(BERTH_[A-Z_]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`--with takes BERTH_NAME=VALUE, not "${text}"`);
  return [name, value];
}
