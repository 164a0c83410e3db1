/** The Debian packages that the set-up has installed on this machine, as apt's own log lists them. */
import { createReadStream, globSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';

/**
 * An option of every `apt-get install` of the set-up. apt ignores it but logs it, so the log shows which packages the
 * set-up installed.
 */
export const setUpMark = 'Berth::SetUp=1';

const logs = '/var/log/apt/history.log*';

/** Returns names without versions. Packages that were installed as dependencies are left to `apt-get autoremove`. */
export async function packagesOfSetUp(): Promise<string[]> {
  const texts = globSync(logs).map((file) => {
    const log = createReadStream(file);
    return text(file.endsWith('.gz') ? log.pipe(createGunzip()) : log);
  });
  return packagesIn((await Promise.all(texts)).join('\n'));
}

/** PURE. Reads apt's history: the packages that a command with our mark names, and that it did install. */
export function packagesIn(history: string): string[] {
  const entries = history.split(/\n\s*\n/).flatMap((entry) => {
    const command = /^Commandline: (.*)$/m.exec(entry)?.[1] ?? '';
    const named = / install (?:--\S+ )*(.*)$/.exec(command)?.[1];
    if (!named || !command.includes(setUpMark)) return [];
    const installed = /^Install: (.*)$/m.exec(entry)?.[1] ?? '';
    const names = named.split(' ').map((word) => word.replace(/=.*/, ''));
    return names.filter((name) => new RegExp(`(^|, )${escaped(name)}:`).test(installed));
  });
  return [...new Set(entries)];
}

function escaped(name: string): string {
  return name.replaceAll(/[.+]/g, '\\$&');
}
