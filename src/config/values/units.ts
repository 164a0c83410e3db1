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

/** `512Mi` → bytes; a bare number is bytes (units as in Kubernetes' quantities). NaN if it is invalid. */
export function parseBytes(size: string | number): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]{0,3})$/.exec(String(size));
  const unit = (match?.[2] ?? '').replace(/B$/, '');
  return match && Object.hasOwn(multipliers, unit) ? Math.floor(Number(match[1]) * multipliers[unit]!) : Number.NaN;
}

/** `500m` or `0.5` → 500 thousandths of a core. NaN if it is invalid. */
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

/** Normalizes a size in another spelling (`512 mb`, `1g`, Docker's `512m`). Undefined if it is not a size. */
export function readSize(text: string): string | undefined {
  if (Number.isFinite(parseBytes(text))) return text;
  const match = /^(\d{1,15}(?:\.\d{1,3})?)\s*([kmgt])i?b?(?:ytes)?$/i.exec(text.trim());
  return match ? `${match[1]}${match[2]!.toUpperCase()}i` : undefined;
}

/** Normalizes a processor amount in another spelling (`1 core`, `500 m`, `.5`). Undefined if it is not one. */
export function readCpu(text: string): string | undefined {
  if (/^(?:\d{1,6}m|\d{1,3}(?:\.\d{1,3})?)$/.test(text)) return text;
  const match = /^(\d{0,6}(?:\.\d{1,6})?)\s*(m|millicores?|v?cpus?|cores?)?$/i.exec(text.trim());
  if (!match?.[1]) return undefined;
  if (match[2]?.toLowerCase().startsWith('m')) return /^\d+$/.test(match[1]) ? `${match[1]}m` : undefined;
  const millis = Math.round(Number(match[1]) * 1000);
  return millis > 0 && millis < 1e6 ? String(millis / 1000) : undefined;
}

/** `3000`, `"3000"`, `3000/tcp`; of `8080:80` the port of the container. */
export function readPort(text: string): number | undefined {
  const match = /^(?:\d{1,5}:)?(\d{1,5})(?:\/(?:tcp|http))?$/i.exec(text.trim());
  const port = Number(match?.[1]);
  return match && port >= 1 && port <= 65535 ? port : undefined;
}

export function readBoolean(text: string): boolean | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}
