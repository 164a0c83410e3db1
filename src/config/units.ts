/** Quantities as people write them. */

const multipliers: Record<string, number> = {
  '': 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** `512Mi` → bytes; a bare number is bytes (units as in Kubernetes' quantities). NaN when it is none. */
export function parseBytes(size: string | number): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(String(size));
  return match ? Math.floor(Number(match[1]) * (multipliers[match[2]!.replace(/B$/, '')] ?? Number.NaN)) : Number.NaN;
}

/** `500m` or `0.5` → 500 thousandths of a core. */
export function parseCpuMillis(cpu: string | number): number {
  const text = String(cpu);
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Math.round(Number(text) * 1000);
}

/** Bytes → the largest binary unit that keeps it readable, e.g. `512 MiB`. */
export function printBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}
