/** Settings: the environment variables `BERTH_…`. No other module reads them. */
import { resolve } from 'node:path';
import type { BackupPlace } from '../backup/backup-place.ts';
import type { DiskLimits } from '../deployment/disk/disk-levels.ts';
import type { Tiers } from '../deployment/limits/plan-tier.ts';
import type { StrangerLimits } from '../deployment/limits/stranger-limits.ts';
import type { PostgresAddress } from '../lib/postgres-address.ts';
import { type BuildSettings, buildTable } from './build-settings.ts';
import { type ClientSettings, clientMistakes, clientTable } from './client-settings.ts';
import { type ClusterSettings, clusterTable } from './cluster-settings.ts';
import { type ImageSettings, imageTable, noRegistries } from './image-settings.ts';
import { type MachineSettings, machineTable } from './machine-settings.ts';
import { type NetworkSettings, networkTable } from './network-settings.ts';
import { type PatienceSettings, patienceTable } from './patience-settings.ts';
import {
  address,
  databaseUrl,
  domain,
  duration,
  integer,
  link,
  oneOf,
  type Setting,
  type SettingGroup,
  secret,
  size,
  type Table,
  Unreadable,
  webAddress,
  word,
} from './setting-values.ts';
import { sharedDomainMistakes } from './shared-domain.ts';
import { type SignInSettings, signInGroups, signInTable } from './sign-in-settings.ts';
import { snapshotPlace } from './snapshot-settings.ts';
import { defaultStrangersText, strangers } from './stranger-settings.ts';
import { defaultTiersText, tierMistakes, tiers } from './tier-settings.ts';
import { httpsPort, type TlsSettings, tlsMistakes, tlsTable } from './tls-settings.ts';

type Extensions = { extensions: number; extensionMs: number };

type GeneralSettings = Extensions & {
  host: string;
  port: number;
  baseUrl: URL;
  appsDomain: string;
  dataDir: string;
  databaseUrl: PostgresAddress | undefined;
  databaseConnections: number;
  engine: string;
  runtime: 'runc' | 'runsc';
  lifetimeMs: number;
  diskFreeBytes: number;
  diskLimits: DiskLimits;
  containerDiskBytes: number;
  tiers: Tiers;
  strangers: StrangerLimits;
  termsUrl: URL | undefined;
  snapshots: BackupPlace | 'none' | undefined;
  secretKey: string | undefined;
  oldSecretKey: string | undefined;
  metricsToken: string | undefined;
  logLevel: string;
};

export type Settings = GeneralSettings &
  SignInSettings &
  ClientSettings &
  MachineSettings &
  TlsSettings &
  ImageSettings &
  BuildSettings &
  PatienceSettings &
  NetworkSettings &
  ClusterSettings;

const generalTable = {
  host: { variable: 'HOST', default: '127.0.0.1', help: 'address to listen on; 0.0.0.0 for all', read: address },
  port: {
    variable: 'PORT',
    default: '8080',
    help: 'port of the service and of all applications',
    read: integer(1, 65535),
  },
  baseUrl: {
    variable: 'BASE_URL',
    default: '',
    help: 'address that clients use; default: http://localhost:<port>',
    read: webAddress,
  },
  appsDomain: {
    variable: 'APPS_DOMAIN',
    default: 'localhost',
    help: 'applications live at <label>.<this domain>',
    read: domain,
  },
  dataDir: {
    variable: 'DATA_DIR',
    default: './.berth',
    help: 'database, keys, sockets',
    read: (value: string) => resolve(value),
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    default: '',
    help: 'PostgreSQL database instead of a file in the data directory: postgresql://user:password@host/database?sslmode=verify-full',
    read: databaseUrl,
  },
  databaseConnections: {
    variable: 'DATABASE_POOL',
    default: '10',
    help: 'maximum number of connections to PostgreSQL',
    read: integer(2, 1000),
  },
  engine: {
    variable: 'ENGINE',
    default: 'docker',
    help: 'container engine: docker (address: DOCKER_HOST), kubernetes (KUBECONFIG), or memory (runs no containers; for demonstrations)',
    read: word,
  },
  runtime: {
    variable: 'RUNTIME',
    default: 'runc',
    help: 'container runtime: runc, or runsc (gVisor)',
    read: oneOf('runc', 'runsc'),
  },
  lifetimeMs: { variable: 'LIFETIME', default: '120m', help: 'how long a free deployment lives', read: duration },
  extensions: {
    variable: 'EXTENSIONS',
    default: '2x120m',
    help: 'how often a free deployment can be extended, and the time that each extension adds; 0: never',
    isGroup: true,
    read: extensions,
  },
  diskFreeBytes: {
    variable: 'DISK_FREE',
    default: '5Gi',
    help: "minimum free space on the engine's disk; below it, no deployment starts",
    read: size,
  },
  diskLimits: {
    variable: 'DISK_LIMITS',
    default: 'auto',
    help: 'how volume sizes are limited: loop (a file system each), watch, off, or auto: the best method that the host supports, checked at start',
    read: oneOf('auto', 'loop', 'watch', 'off'),
  },
  containerDiskBytes: {
    variable: 'CONTAINER_DISK',
    default: '1Gi',
    help: 'maximum data that a container may write outside of its volumes; above it, the container is stopped',
    read: size,
  },
  tiers: {
    variable: 'TIERS',
    default: '',
    help: 'plans of accounts; new accounts get the first; default: see docs/guides/set-limits-and-plans.md',
    read: tiers,
  },
  strangers: {
    variable: 'STRANGERS',
    default: '',
    help: `limits for users without an account, per session and per address; default: ${defaultStrangersText}`,
    read: strangers,
  },
  termsUrl: {
    variable: 'TERMS',
    default: '',
    help: 'URL of the terms of use, which every start response contains',
    read: link,
  },
  snapshots: {
    variable: 'SNAPSHOTS',
    default: '',
    help: 'location of deployment snapshots: a folder, s3:https://host/bucket/path, or none; default: <data dir>/snapshots without scheduled snapshots; on Kubernetes: none',
    read: snapshotPlace,
  },
  secretKey: {
    variable: 'SECRET_KEY',
    default: '',
    help: 'key of the encryption at rest, 32 characters or more; default: <data dir>/secret.key, created at the first start',
    read: secret,
  },
  oldSecretKey: {
    variable: 'OLD_SECRET_KEY',
    default: '',
    help: 'previous BERTH_SECRET_KEY, for the first start with a new key',
    read: secret,
  },
  metricsToken: {
    variable: 'METRICS_TOKEN',
    default: '',
    help: 'bearer token for /metrics, 32 characters or more; default: only this machine can read /metrics',
    read: secret,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    default: 'info',
    help: 'debug, info, warn, error or silent',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
} satisfies Table<Omit<GeneralSettings, keyof Extensions> & { extensions: Extensions }> & {
  extensions: SettingGroup<Extensions>;
};

/** `2x120m`, or `0`. */
function extensions(value: string): Extensions {
  const [, count = '0', length = '0s'] = /^(\d{1,3})x(\w+)$/.exec(value) ?? [];
  if (count === '0' && value !== '0') throw new Unreadable('must be a number and a duration such as 2x120m, or 0');
  return { extensions: Number(count), extensionMs: duration(length) };
}

/** All settings, by section of the help and the documentation. */
export const settingSections: readonly [title: string, Readonly<Record<string, Setting<unknown>>>][] = [
  ['General', { ...generalTable, ...buildTable }],
  ['HTTPS and certificates', tlsTable],
  ['Limits of clients', clientTable],
  ['Resources of the machine', machineTable],
  ['Images', imageTable],
  ['Time limits', patienceTable],
  ['Network', networkTable],
  ['Kubernetes', clusterTable],
  ['Accounts, sign-in and mail', signInTable],
];

const table: Readonly<Record<string, Setting<unknown>>> = Object.assign({}, ...settingSections.map(([, each]) => each));

/** Settings whose value is never shown. */
const secrets: readonly string[] = [
  'databaseUrl',
  'secretKey',
  'oldSecretKey',
  'metricsToken',
  'githubClientSecret',
  'oidcClientSecret',
  'smtpUrl',
  // The value may contain a key. Such a value is refused, but the message must not show it.
  'snapshots',
] satisfies (keyof Settings)[];

/** Reports all mistakes at once, one line each. */
export function readSettings(
  env: Record<string, string | undefined>,
): { ok: true; settings: Settings } | { ok: false; mistakes: string[] } {
  const mistakes: string[] = [];
  const entries = Object.entries(table).flatMap(([key, setting]): [string, unknown][] => {
    const given = env[`BERTH_${setting.variable}`] || setting.default;
    if (given === '') return [[key, undefined]];
    try {
      const value = setting.read(given);
      return 'isGroup' in setting ? Object.entries(value as object) : [[key, value]];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const shown = secrets.includes(key) ? '' : `, not ${JSON.stringify(given)}`;
      mistakes.push(`BERTH_${setting.variable} ${error.message}${shown}`);
      return [[key, undefined]];
    }
  });
  const known = new Set(Object.values(table).map(({ variable }) => `BERTH_${variable}`));
  for (const name of Object.keys(env).filter((name) => name.startsWith('BERTH_') && !known.has(name))) {
    mistakes.push(`${name} is not a setting; \`npm run serve -- --help\` lists them`);
  }
  const settings = Object.fromEntries(entries) as Settings;
  for (const group of signInGroups) {
    const missing = group.filter((key) => !env[`BERTH_${signInTable[key].variable}`]);
    if (missing.length === 0 || missing.length === group.length) continue;
    const names = (keys: (keyof SignInSettings)[]) =>
      keys.map((key) => `BERTH_${signInTable[key].variable}`).join(' and ');
    mistakes.push(`${names(group)} belong together; set ${names(missing)} too`);
  }
  mistakes.push(...clientMistakes(settings), ...tlsMistakes(settings), ...tierMistakes(settings));
  if (!settings.allowUnsafe?.includes('domain')) mistakes.push(...sharedDomainMistakes(settings));
  if (mistakes.length > 0) return { ok: false, mistakes };
  const baseUrl = settings.baseUrl ?? new URL(`http://localhost:${settings.port}`);
  return {
    ok: true,
    settings: {
      ...settings,
      baseUrl,
      httpsPort: httpsPort(settings, baseUrl),
      registries: settings.registries ?? noRegistries,
      gitServers: settings.gitServers ?? [],
      dnsPersist: settings.dnsPersist ?? false,
      tiers: settings.tiers ?? tiers(defaultTiersText),
      strangers: settings.strangers ?? strangers(defaultStrangersText),
    },
  };
}

/** The list of settings that `--help` prints. */
export function describeSettings(): string {
  return Object.values(table)
    .map((setting) => `  ${`BERTH_${setting.variable}`.padEnd(24)}${setting.default.padEnd(16)}${setting.help}`)
    .join('\n');
}

/** The public address of a deployment's label: the scheme and port are those of the service. */
export function applicationUrl({ baseUrl, appsDomain }: Pick<Settings, 'baseUrl' | 'appsDomain'>, label: string): URL {
  const port = baseUrl.port === '' ? '' : `:${baseUrl.port}`;
  return new URL(`${baseUrl.protocol}//${label}.${appsDomain}${port}`);
}
