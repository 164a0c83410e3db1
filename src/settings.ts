/** Settings: the environment variables `BERTH_…`, read here and nowhere else. */
import { resolve } from 'node:path';
import { parseBytes } from './config/units.ts';
import type { Rate } from './lib/rate-limit.ts';

export type Settings = {
  host: string;
  port: number;
  baseUrl: URL;
  appsDomain: string;
  dataDir: string;
  engine: 'docker';
  runtime: 'runc' | 'runsc';
  lifetimeMs: number;
  extensionMs: number;
  extensions: number;
  startRate: Rate;
  rate: Rate;
  memory: { share: number } | { bytes: number };
  cpuOvercommit: number;
  diskFreeBytes: number;
  imageDiskShare: number;
  deployDeadlineMs: number;
  drainMs: number;
  networkPool: string;
  example: string;
  secretKey: string | undefined;
  metricsToken: string | undefined;
  logLevel: string;
};

type Setting<T> = { variable: string; default: string; says: string; read: (text: string) => T };

/** Thrown by a reader: what the value must be. */
class Unreadable extends Error {}

function oneOf<T extends string>(...values: T[]): (text: string) => T {
  return (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new Unreadable(`must be ${values.join(' or ')}`);
    return found;
  };
}

function integer(least: number, most: number): (text: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) throw new Unreadable(`must be a whole number from ${least} to ${most}`);
    return number;
  };
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `120m` → milliseconds. */
function duration(value: string): number {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(value);
  if (!match) throw new Unreadable('must be a duration such as 30s, 120m or 24h');
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

/** `10/m` → 10 in 60,000 ms. */
function rate(value: string): Rate {
  const match = /^([1-9]\d*)\/(s|m|h)$/.exec(value);
  if (!match) throw new Unreadable('must be a rate such as 10/m');
  return { count: Number(match[1]), windowMs: unitMs[match[2] as 's' | 'm' | 'h'] };
}

/** `512Mi` → bytes. */
function size(value: string): number {
  const bytes = parseBytes(value);
  if (!(bytes >= 0)) throw new Unreadable('must be a size such as 512Mi or 20Gi');
  return bytes;
}

/** `80%` → 0.8. */
function share(value: string): number {
  const percent = /^(\d{1,3})%$/.exec(value)?.[1];
  if (!(Number(percent) >= 1 && Number(percent) <= 100)) throw new Unreadable('must be a share from 1% to 100%');
  return Number(percent) / 100;
}

function domain(value: string): string {
  if (!/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/.test(value)) {
    throw new Unreadable('must be a domain such as apps.example.com');
  }
  return value;
}

function webAddress(value: string): URL {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new Unreadable('must be an address such as https://berth.example.com');
  }
  return url;
}

function address(value: string): string {
  if (!/^[0-9a-fA-F.:]+$/.test(value)) throw new Unreadable('must be an IP address such as 127.0.0.1 or 0.0.0.0');
  return value;
}

function network(value: string): string {
  const match = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\/(\d+)$/.exec(value);
  if (!match || Number(match[2]) < 8 || Number(match[2]) > 24) {
    throw new Unreadable('must be an IPv4 network from /8 to /24 such as 10.200.0.0/13');
  }
  return value;
}

const table = {
  host: { variable: 'HOST', default: '127.0.0.1', says: 'address to listen at; 0.0.0.0 for all', read: address },
  port: {
    variable: 'PORT',
    default: '8080',
    says: 'port of the service and of all applications',
    read: integer(1, 65535),
  },
  baseUrl: {
    variable: 'BASE_URL',
    default: '',
    says: 'address that clients use; default http://localhost:<port>',
    read: webAddress,
  },
  appsDomain: {
    variable: 'APPS_DOMAIN',
    default: 'localhost',
    says: 'applications live at <label>.<this domain>',
    read: domain,
  },
  dataDir: {
    variable: 'DATA_DIR',
    default: './.berth',
    says: 'database, keys, sockets',
    read: (value: string) => resolve(value),
  },
  engine: {
    variable: 'ENGINE',
    default: 'docker',
    says: 'what runs containers (its address: DOCKER_HOST)',
    read: oneOf('docker'),
  },
  runtime: {
    variable: 'RUNTIME',
    default: 'runc',
    says: 'container runtime: runc, or runsc (gVisor)',
    read: oneOf('runc', 'runsc'),
  },
  lifetimeMs: { variable: 'LIFETIME', default: '120m', says: 'how long a free deployment lives', read: duration },
  extensionMs: { variable: 'EXTENSION', default: '120m', says: 'what an extension adds', read: duration },
  extensions: {
    variable: 'EXTENSIONS',
    default: '2',
    says: 'how many extensions a free deployment has',
    read: integer(0, 1000),
  },
  startRate: { variable: 'START_RATE', default: '10/m', says: 'starts per client address', read: rate },
  rate: {
    variable: 'RATE',
    default: '120/m',
    says: 'other requests per client address, and requests per session token',
    read: rate,
  },
  memory: {
    variable: 'MEMORY',
    default: '80%',
    says: "what all applications may request, of the machine's memory or in all (16Gi)",
    read: (value: string) => (value.endsWith('%') ? { share: share(value) } : { bytes: size(value) }),
  },
  cpuOvercommit: {
    variable: 'CPU_OVERCOMMIT',
    default: '8',
    says: "what all applications may request, in times the machine's processors",
    read: integer(1, 1000),
  },
  diskFreeBytes: {
    variable: 'DISK_FREE',
    default: '5Gi',
    says: "free space of the engine's disk below which nothing starts",
    read: size,
  },
  imageDiskShare: {
    variable: 'IMAGE_DISK',
    default: '85%',
    says: "of the engine's disk; above it, images that nothing runs from leave",
    read: share,
  },
  deployDeadlineMs: {
    variable: 'DEPLOY_DEADLINE',
    default: '10m',
    says: 'without progress for this long, a deploy has failed',
    read: duration,
  },
  drainMs: {
    variable: 'DRAIN',
    default: '2s',
    says: 'time for requests under way on workloads that an update replaces',
    read: duration,
  },
  networkPool: {
    variable: 'NETWORK_POOL',
    default: '10.200.0.0/13',
    says: "addresses for the applications' networks",
    read: network,
  },
  example: {
    variable: 'EXAMPLE',
    default: 'guestbook',
    says: 'what `npm start` deploys, or none',
    read: oneOf('guestbook', 'none'),
  },
  secretKey: {
    variable: 'SECRET_KEY',
    default: '',
    says: 'key of the encryption at rest, 32 characters or more; default: <data dir>/secret.key, made at first start',
    read: secret,
  },
  metricsToken: {
    variable: 'METRICS_TOKEN',
    default: '',
    says: 'bearer token for /metrics, 32 characters or more; default: /metrics answers to this machine alone',
    read: secret,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    default: 'info',
    says: 'debug, info, warn, error or silent',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
} satisfies { [K in keyof Settings]: Setting<Settings[K]> };

function secret(value: string): string {
  if (value.length < 32) throw new Unreadable('must have 32 characters or more');
  return value;
}

/** All mistakes at once, one line each. */
export function readSettings(
  env: Record<string, string | undefined>,
): { ok: true; settings: Settings } | { ok: false; mistakes: string[] } {
  const mistakes: string[] = [];
  const entries = Object.entries(table).map(([key, setting]) => {
    const given = env[`BERTH_${setting.variable}`] || setting.default;
    if (given === '') return [key, undefined];
    try {
      return [key, setting.read(given)];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const shown = key === 'secretKey' || key === 'metricsToken' ? '' : `, not ${JSON.stringify(given)}`;
      mistakes.push(`BERTH_${setting.variable} ${error.message}${shown}`);
      return [key, undefined];
    }
  });
  const known = new Set(Object.values(table).map(({ variable }) => `BERTH_${variable}`));
  for (const name of Object.keys(env).filter((name) => name.startsWith('BERTH_') && !known.has(name))) {
    mistakes.push(`${name} is not a setting; \`npm run serve -- --help\` lists them`);
  }
  if (mistakes.length > 0) return { ok: false, mistakes };
  const settings = Object.fromEntries(entries) as Settings;
  return {
    ok: true,
    settings: { ...settings, baseUrl: settings.baseUrl ?? new URL(`http://localhost:${settings.port}`) },
  };
}

/** The settings as `--help` prints them. */
export function describeSettings(): string {
  return Object.values(table)
    .map((setting) => `  ${`BERTH_${setting.variable}`.padEnd(24)}${setting.default.padEnd(16)}${setting.says}`)
    .join('\n');
}

/** The public address of a deployment's label: the scheme and port are those of the service. */
export function applicationUrl({ baseUrl, appsDomain }: Pick<Settings, 'baseUrl' | 'appsDomain'>, label: string): URL {
  const port = baseUrl.port === '' ? '' : `:${baseUrl.port}`;
  return new URL(`${baseUrl.protocol}//${label}.${appsDomain}${port}`);
}
