/** Measurements of pods and sites, in words. Pure. */
import { printBytes } from './units.ts';

/** Prints a dash for a missing value. */
export type Print = (value: number | null) => string;

const dash = '–';

/** Prints the used share of a limit, or of one processor. */
export function printCpu(limitMillis = 1_000): Print {
  return (millis) => (millis === null ? dash : `${digits((100 * millis) / limitMillis)} %`);
}

/** Prints a processor limit: `0.5 cores`, `1 core`. */
export function printCores(millis: number): string {
  const cores = Number((millis / 1_000).toFixed(2));
  return `${cores} ${cores === 1 ? 'core' : 'cores'}`;
}

export const printSize: Print = (bytes) => (bytes === null ? dash : printBytes(bytes));
export const printByteRate: Print = (bytes) => (bytes === null ? dash : `${printBytes(bytes)}/s`);
export const printRate: Print = (rate) => (rate === null ? dash : `${digits(rate)}/s`);

/** Times above the last bound are not known more precisely. */
export const printTime: Print = (ms) =>
  ms === null ? dash : ms >= 10_000 ? '> 10 s' : ms >= 1_000 ? `${digits(ms / 1_000)} s` : `${digits(ms)} ms`;

/** Returns how long something has been running: `45 s`, `12 min`, `3 h 5 min`, `4 d 2 h`. */
export function printUptime(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return `${Math.floor(Math.max(0, ms) / 1_000)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Two that matter: `0.42`, `4.2`, `42`, `420`. */
function digits(value: number): string {
  return value === 0 ? '0' : String(Number(value < 10 ? value.toPrecision(2) : value.toFixed(0)));
}
