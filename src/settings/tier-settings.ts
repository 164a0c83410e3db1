/** The plans of accounts. */
import type { Tier, Tiers } from '../deployment/limits/plan-tier.ts';
import { capFields, readCaps } from './count-settings.ts';
import { pullFields, readPulls } from './pull-settings.ts';
import { duration, egress, oneOf, size, Unreadable } from './setting-values.ts';
import { readSnapshotTerms, snapshotFields } from './snapshot-settings.ts';

/** The default. */
export const defaultTiersText =
  'free deployments=3 memory=1Gi exec=yes; pro deployments=20 memory=16Gi reservations=yes exec=yes';

/** Without Kubernetes, all pods use the same runtime. */
export function tierMistakes({
  tiers = [],
  engine,
}: {
  tiers?: readonly Tier[] | undefined;
  engine: string;
}): string[] {
  const named = tiers.filter(({ runtime }) => runtime !== undefined);
  if (engine === 'kubernetes' || named.length === 0) return [];
  return [
    `BERTH_TIERS sets runtime= of plan ${named[0]!.name}, which requires BERTH_ENGINE=kubernetes; other engines use BERTH_RUNTIME for all plans`,
  ];
}

const tierForm =
  'must be plans such as "free deployments=3 memory=1Gi; pro deployments=20 memory=16Gi reservations=yes"';

/** `free deployments=3 memory=1Gi; pro deployments=20 memory=16Gi reservations=yes lifetime=30d egress=none` */
export function tiers(value: string): Tiers {
  const [first, ...others] = value
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(tier);
  if (!first) throw new Unreadable(tierForm);
  const all: Tiers = [first, ...others];
  const names = all.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Unreadable('must not name a plan twice');
  return all;
}

function tier(text: string): Tier {
  const [name, ...words] = text.split(/\s+/);
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(name!)) throw new Unreadable(tierForm);
  const fields = new Map(
    words.map((word): [string, string] => {
      const [key, given] = word.split('=');
      if (!key || !given || !known.includes(key)) {
        throw new Unreadable(`must set only ${known.join(', ')} of plan ${name}, as name=value`);
      }
      return [key, given];
    }),
  );
  const read = <K extends keyof typeof tierFields>(key: K) => {
    const given = fields.get(key) ?? tierFields[key].default;
    if (given === undefined) throw new Unreadable(`must set ${key}=… of plan ${name}`);
    return tierFields[key].read(given) as ReturnType<(typeof tierFields)[K]['read']>;
  };
  const caps = readCaps(capFields, fields);
  const pulls = readPulls(fields);
  const snapshots = readSnapshotTerms(fields);
  return {
    name: name!,
    deployments: read('deployments'),
    memoryBytes: read('memory'),
    allowsReservations: read('reservations'),
    lifetimeMs: read('lifetime'),
    ...(caps && { caps }),
    ...(fields.has('domains') && { domains: read('domains') }),
    ...(fields.has('images') && { imageBytes: read('images') }),
    ...(pulls && { pulls }),
    ...(fields.has('egress') && { egress: read('egress') }),
    ...(fields.has('exec') && { allowsExec: read('exec') }),
    ...(fields.has('runtime') && { runtime: read('runtime') }),
    ...(snapshots && { snapshots }),
  };
}

const tierFields = {
  deployments: { default: undefined, read: (value: string) => count(value) },
  memory: { default: undefined, read: size },
  reservations: { default: 'no', read: yesOrNo('reservations') },
  lifetime: { default: 'never', read: (value: string) => (value === 'never' ? null : duration(value)) },
  domains: { default: undefined, read: (value: string) => count(value, 'domains') },
  images: { default: undefined, read: size },
  egress: { default: undefined, read: egress },
  exec: { default: undefined, read: yesOrNo('exec') },
  runtime: { default: undefined, read: oneOf('runc', 'runsc') },
};

const known = [
  ...Object.keys(tierFields),
  ...Object.keys(capFields),
  ...Object.keys(pullFields),
  ...Object.keys(snapshotFields),
];

function count(value: string, of = 'deployments'): number {
  if (!/^\d{1,6}$/.test(value)) throw new Unreadable(`must give ${of} as a whole number`);
  return Number(value);
}

function yesOrNo(name: string): (value: string) => boolean {
  return (value) => {
    if (value !== 'yes' && value !== 'no') throw new Unreadable(`must say ${name}=yes or ${name}=no`);
    return value === 'yes';
  };
}
