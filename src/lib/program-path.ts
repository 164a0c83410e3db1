/** Where programs of the machine are looked for. */

/** Distributions keep the programs of administrators where a plain user's PATH does not lead; Homebrew has its own places. */
const further = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/sbin',
  '/opt/homebrew/bin',
];

/** PURE. The user's own PATH first, then where distributions put what it may leave out; each folder once. */
export function programPath(path: string | undefined): string {
  return [...new Set([...(path ?? '').split(':').filter(Boolean), ...further])].join(':');
}
