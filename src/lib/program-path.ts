/** Finds programs of the machine. */

/** Folders that a user's PATH may lack: those for administrators, and those of Homebrew. */
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

/** PURE. Returns the user's PATH followed by the missing folders. */
export function programPath(path: string | undefined): string {
  return [...new Set([...(path ?? '').split(':').filter(Boolean), ...further])].join(':');
}
