/** `volumes` of services and of the top level. Nothing of the host is mounted: bind mounts are refused. */

import { listOf, quote } from '../diagnostics/diagnostics.ts';
import { childOf, entriesOf, entryOf, type Field, itemsOf } from '../document/tree.ts';
import type { VolumeSpec } from '../spec/spec.ts';
import { type Bind, openBinds } from './bind-mounts.ts';
import { VolumeNames } from './compose-names.ts';
import { isTrue, keyOf, type Reading, spacedPair } from './compose-reader.ts';
import { ignore } from './key-rules.ts';
import { parseSize } from './service-scale.ts';

const defaultVolumeBytes = 2 ** 30;

export type Mount = { volume: VolumeSpec; field: Field };

/** Reads the mounts of one service after another. Equal names of volumes mean the same volume. */
export function openVolumes(top: Field | undefined, reading: Reading): (service: Field) => Mount[] {
  const context = { reading, instead: openBinds(entriesOf(top).map(([name]) => name)) };
  const shared = new Map<string, { name: string; sizeBytes: number }>();
  const names = new VolumeNames();

  const sharedVolume = (name: string, field: Field) => {
    const known = shared.get(name);
    if (known) return known;
    const definition = top && entryOf(top, name);
    if (!definition) {
      reading.gather(field, 'undeclared-volume', 'document', name, undeclaredWords);
    }
    const volume = { name: names.take(name), sizeBytes: sizeOf(definition, name, reading) };
    shared.set(name, volume);
    return volume;
  };

  return (service) => {
    const own = new VolumeNames();
    return itemsOf(childOf(service, 'volumes')).flatMap((field): Mount[] => {
      const mount = field.tree.kind === 'map' ? readLongForm(field, context) : readShortForm(field, context);
      if (!mount) return [];
      const mountPath = mount.target === '/' ? '/' : mount.target.replace(/(?<!\/)\/+$/, '');
      if (!mountPath.startsWith('/')) {
        const hint = 'begin it with a slash, for example data:/var/lib/data';
        reading.error(field, 'bad-mount-path', `the mount point ${quote(mount.target)} is not an absolute path`, hint);
        return [];
      }
      if (mount.name !== undefined) {
        return [{ volume: { ...sharedVolume(mount.name, field), mountPath, isShared: true }, field }];
      }
      return [{ volume: { name: own.take(mountPath), sizeBytes: defaultVolumeBytes, mountPath }, field }];
    });
  };
}

function undeclaredWords(names: readonly string[]): { message: string; hint: string } {
  const subject = names.length === 1 ? `the volume "${names[0]}" is` : `the volumes ${listOf(names)} are`;
  const entries = names.map((name) => `${name}: {}`);
  return {
    message: `${subject} not in the top-level "volumes"`,
    hint: `write at the top: volumes: { ${listOf(entries)} }`,
  };
}

type Context = { reading: Reading; instead: (bind: Bind) => string };

function serviceOf({ path }: Field): string {
  return String(path[1] ?? 'data');
}

/** Without a name: an anonymous volume. */
type NamedMount = { name?: string; target: string };

function readShortForm(field: Field, context: Context): NamedMount | undefined {
  const { reading, instead } = context;
  const text = reading.text(field)?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^(?:[A-Za-z]:(?:\\|\/[^:]*:\/)|\\\\)/.test(text))
    return refuseBind(field, text, text.split(/:(?=\/)/)[1] ?? '', context);
  const [source, target, mode] = text.split(':');
  if (target === undefined) {
    if (source!.startsWith('/')) return { target: source! };
    reading.error(field, 'bad-mount-path', `${quote(text)} has no mount point`, 'for example data:/var/lib/data');
    return undefined;
  }
  if (source === '') {
    const hint = instead({ service: serviceOf(field), source: '', target });
    const because = reading.isIncomplete(field) ? ': its variable has no value' : '';
    reading.error(field, 'bind-mount', `the volume has no name${because}`, hint);
    return undefined;
  }
  if (isHostPath(source!)) return refuseBind(field, source!, target, context);
  if (mode !== undefined && /(?:^|,)ro(?:,|$)/.test(mode)) warnOfReadOnly(field, reading);
  return { name: source!, target };
}

function readLongForm(field: Field, context: Context): NamedMount | undefined {
  const { reading } = context;
  const textAt = (key: string) => {
    const child = childOf(field, key);
    return child ? reading.text(child) : undefined;
  };
  const pair = spacedPair(field);
  if (pair && !/^(?:target|dst|destination|source|src)\b/.test(pair.written)) {
    const hint = `write ${pair.together}, without spaces`;
    reading.error(
      field,
      'bad-mount-path',
      `${quote(pair.written)} is a map, because of the space after its colon`,
      hint,
    );
    return undefined;
  }
  const type = textAt('type') ?? 'volume';
  const source = textAt('source') ?? textAt('src') ?? '';
  const target = textAt('target') ?? textAt('dst') ?? textAt('destination');
  if (target === undefined) {
    reading.error(field, 'bad-mount-path', 'has no "target"', 'write the mount point as target: /data');
    return undefined;
  }
  if (type === 'bind' || isHostPath(source))
    return refuseBind(childOf(field, 'source') ?? field, source, target, context);
  // Memory directories are read elsewhere.
  if (type === 'tmpfs') return undefined;
  if (type !== 'volume') {
    const message = `a volume of the type ${quote(type)} cannot be honoured here`;
    reading.error(childOf(field, 'type') ?? field, 'unsupported', message, 'use type: volume');
    return undefined;
  }
  const subpath = childOf(field, 'volume') && childOf(childOf(field, 'volume')!, 'subpath');
  if (subpath) {
    reading.error(subpath, 'unsupported', 'a part of a volume cannot be mounted', 'use a volume of its own for it');
    return undefined;
  }
  if (isTrue(reading, childOf(field, 'read_only'))) warnOfReadOnly(field, reading);
  return source === '' ? { target } : { name: source, target };
}

function warnOfReadOnly(field: Field, reading: Reading): void {
  reading.warnOnce(
    field,
    'ignored',
    'ro',
    'a read-only mount can be written to',
    'nothing to do, unless you rely on it',
  );
}

/** Other sources are names of volumes. */
export function isHostPath(source: string): boolean {
  return /^(?:[./~]|[A-Za-z]:[\\/]|\\\\)/.test(source);
}

/** Common mounts that are unnecessary, each with a replacement. */
export const harmlessMounts: Record<string, string> = {
  '/etc/localtime': 'for the time zone, set the variable TZ, for example TZ: Europe/Berlin',
  '/etc/timezone': 'for the time zone, set the variable TZ, for example TZ: Europe/Berlin',
  '/dev/urandom': 'every container has its own',
  '/dev/random': 'every container has its own',
  '/dev/shm': 'every container has its own, of 64 MiB',
};

/** Access to this socket means control of the host. */
export function isEngineSocket(source: string): boolean {
  return /docker\.sock|containerd\.sock|podman\.sock/.test(source);
}

function refuseBind(field: Field, source: string, target: string, { reading, instead }: Context): undefined {
  if (Object.hasOwn(harmlessMounts, source)) {
    ignore(field, reading, source, harmlessMounts[source]!);
  } else if (isEngineSocket(source)) {
    const instead =
      'remove it: access to it means control of the host. Routes come from ports: or x-berth: { path: /… }';
    reading.error(field, 'docker-socket', "the engine's socket cannot be mounted on a shared host", instead);
  } else {
    const message = `the host's ${quote(source)} cannot be mounted on a shared host`;
    reading.error(field, 'bind-mount', message, instead({ service: serviceOf(field), source, target }));
  }
}

/** Reports unsupported parts of a definition. Called once for each used volume. */
function sizeOf(definition: Field | undefined, name: string, reading: Reading): number {
  if (!definition) return defaultVolumeBytes;
  const external = childOf(definition, 'external');
  if (external && (external.tree.kind === 'map' || isTrue(reading, external))) {
    const message = `the volume "${name}" is external, and volumes outside of the application cannot be reached`;
    reading.error(
      keyOf(external),
      'external',
      message,
      'remove "external": the volume then belongs to the application, and starts empty',
    );
  }
  const options = childOf(definition, 'driver_opts');
  const driver = childOf(definition, 'driver');
  const device = options && childOf(options, 'device');
  if (driver && (reading.text(driver) ?? 'local') !== 'local') {
    const message = `the volume driver ${quote(reading.text(driver) ?? '')} is not there`;
    reading.error(driver, 'unsupported', message, 'remove "driver": the volume is on the host');
  } else if (device && !/^tmpfs$/.test(reading.text(device) ?? '')) {
    const message = `the volume "${name}" stands for ${quote(reading.text(device) ?? '')}, which cannot be mounted on a shared host`;
    reading.error(
      keyOf(options),
      'bind-mount',
      message,
      'remove "driver_opts": the volume is on the host, and starts empty',
    );
  }
  const size = childOf(definition, 'x-berth') && childOf(childOf(definition, 'x-berth')!, 'size');
  if (!size) return defaultVolumeBytes;
  const bytes = parseSize(reading.text(size) ?? '');
  if (!bytes) reading.error(size, 'bad-size', 'is not a size', 'for example 5Gi');
  return bytes || defaultVolumeBytes;
}
