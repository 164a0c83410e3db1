/** Volumes of a pod, with their defaults. Pure. */
import { quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { toSlug } from '../diagnostics/suggest.ts';
import { childOf, type Field, itemsOf, textOf } from '../document/tree.ts';
import type { VolumeSpec } from '../spec/spec.ts';
import { parseBytes, readBoolean, readSize } from '../values/units.ts';

const defaultBytes = 2 ** 30;
/** A volume of less holds not even an empty database: its unit is forgotten. */
const minPlausibleBytes = 64 * 1024;
/** As in the schema, which reports larger lists. */
const maxVolumes = 50;

export function readVolumes(field: Field | undefined, report: Report): VolumeSpec[] {
  const volumes: VolumeSpec[] = [];
  const entries = itemsOf(field, maxVolumes);
  const taken = new Set(entries.map((volume) => nameOf(volume)));
  for (const entry of entries) {
    const mountPath = textOf(childOf(entry, 'mountPath'));
    if (mountPath === undefined) continue;
    const named = nameOf(entry);
    const name = named ?? freeName(mountPath, taken);
    taken.add(name);
    const isShared = readBoolean(textOf(childOf(entry, 'shared')) ?? '');
    volumes.push({
      name,
      sizeBytes: readBytes(entry, report),
      mountPath: mountPath.replace(/(?<!^)\/$/, ''),
      ...(isShared && { isShared }),
    });
    if (named === undefined) {
      const hint = `write "name: ${name}"`;
      report.warn(entry.path, 'volume-default', `the volume has no name and is called ${name}`, { hint });
    }
  }
  return volumes;
}

function nameOf(volume: Field): string | undefined {
  const written = textOf(childOf(volume, 'name'));
  if (written === undefined) return undefined;
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(written) ? written : toSlug(written);
}

function freeName(mountPath: string, taken: ReadonlySet<string | undefined>): string {
  const base = toSlug(mountPath, 55) ?? 'data';
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(name)) return name;
  }
}

function readBytes(volume: Field, report: Report): number {
  const size = childOf(volume, 'size');
  if (!size) {
    report.warn(volume.path, 'volume-default', 'the volume has no size and gets 1Gi', { hint: 'write "size: 1Gi"' });
    return defaultBytes;
  }
  const text = textOf(size) ?? '';
  const bytes = parseBytes(readSize(text) ?? '');
  if (bytes < minPlausibleBytes) {
    const hint = /^\d+$/.test(text) ? `did you mean ${text}Gi?` : 'write a unit such as Mi or Gi';
    report.warn(size.path, 'unlikely-quantity', `${quote(text)} is ${bytes} bytes`, { hint });
  }
  return Number.isFinite(bytes) ? bytes : defaultBytes;
}
