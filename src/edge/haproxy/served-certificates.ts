/**
 * The certificates that HAProxy serves: put in and replaced while it runs, without a reload. It reads files only when it
 * starts; they are there for so long, and no longer, since they hold private keys.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/replace-file.ts';
import type { EdgePaths } from '../edge-paths.ts';
import { ask, replaceMap } from './runtime-socket.ts';

export const certificatesFolder = 'certificates';
/** HAProxy names the certificates that it serves by what stands here. */
export const certificateList = `${certificatesFolder}/list`;
/** The hosts that have one; `*.example.com` for all names directly below. */
export const certifiedMap = 'certified.map';

/** `name`: a short word of its own; the first of several is shown to who names no host, or none that is known. */
export type NamedCertificate = {
  name: string;
  /** Where an authority issues: whoever asks for this host without TLS may be sent to it now. */
  host?: string;
  pem: string;
};

export type ServedCertificates = {
  /** These and no others, from now on; HAProxy has yet to be told. Answers what was wanted before. */
  want(certificates: readonly NamedCertificate[]): readonly NamedCertificate[];
  /** Has HAProxy serve what is wanted. Throws when it refuses one: until another try succeeds, it serves the one from before. */
  put(): Promise<void>;
  /** Writes the files that HAProxy starts from; whoever has started it calls what this returns. */
  writeFiles(): Promise<() => void>;
  removeFiles(): Promise<void>;
};

/** `isIssued`: an authority issues them, and HAProxy has a map of the hosts that have one. */
export function createServedCertificates(paths: EdgePaths, isIssued: boolean): ServedCertificates {
  const socket = paths.adminSocket;
  const folder = join(paths.edge, certificatesFolder);
  let wanted: readonly NamedCertificate[] = [];
  /** What HAProxy is known to serve, by the name of the file; empty while that is not known. */
  const served = new Map<string, string>();
  /** The entries that HAProxy's map of hosts is known to have. */
  let certified: string | undefined;

  async function putOne(file: string, pem: string, isNew: boolean): Promise<void> {
    if (isNew) await command(`new ssl cert ${file}`, /New empty certificate store/);
    await command(`set ssl cert ${file} <<\n${pem}`, /Transaction (created|updated) for certificate/);
    await command(`commit ssl cert ${file}`, /Success!/).catch(async (error: unknown) => {
      await ask(socket, `abort ssl cert ${file}`);
      throw error;
    });
    if (isNew) await command(`add ssl crt-list ${certificateList} ${file}`, /Success!/);
    served.set(file, pem);
  }

  async function removeOne(file: string): Promise<void> {
    await command(`del ssl crt-list ${certificateList} ${file}`, /deleted in crtlist/);
    await command(`del ssl cert ${file}`, /deleted!/);
    served.delete(file);
  }

  async function putHosts(): Promise<void> {
    if (!isIssued) return;
    const entries = hostEntries(wanted);
    if (entries.join('\n') === certified) return;
    await replaceMap(socket, certifiedMap, entries);
    certified = entries.join('\n');
  }

  /** An answer shows no key: HAProxy repeats names alone. */
  async function command(words: string, expected: RegExp): Promise<void> {
    const answer = await ask(socket, words);
    if (!expected.test(answer)) throw new Error(`HAProxy refused "${words.split(' <<', 1)[0]}": ${answer.trim()}`);
  }

  return {
    want(certificates) {
      const before = wanted;
      wanted = certificates;
      return before;
    },
    async put() {
      const present = await listed(socket);
      const files = filesOf(wanted);
      for (const [file, pem] of files) if (served.get(file) !== pem) await putOne(file, pem, !present.includes(file));
      await putHosts();
      for (const file of present) if (!files.has(file)) await removeOne(file);
    },
    async writeFiles() {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { mode: 0o700 });
      const write = (name: string, text: string) =>
        writeFile(join(paths.edge, name), text, { mode: 0o600, flag: 'wx' });
      const files = filesOf(wanted);
      await Promise.all([...files].map(([file, pem]) => write(file, pem)));
      const entries = hostEntries(wanted);
      await replaceFile(join(paths.edge, certifiedMap), entries.map((entry) => `${entry}\n`).join(''));
      await write(certificateList, [...files.keys()].map((file) => `${file}\n`).join(''));
      return () => {
        served.clear();
        for (const [file, pem] of files) served.set(file, pem);
        certified = entries.join('\n');
      };
    },
    removeFiles: () => rm(folder, { recursive: true, force: true }),
  };
}

function hostEntries(certificates: readonly NamedCertificate[]): string[] {
  return certificates.flatMap(({ host }) => (host === undefined ? [] : [`${host} 1`]));
}

function filesOf(certificates: readonly NamedCertificate[]): Map<string, string> {
  return new Map(certificates.map(({ name, pem }) => [`${certificatesFolder}/${name}.pem`, pem]));
}

/** The files that HAProxy serves, whether they are still there or not. */
async function listed(socket: string): Promise<string[]> {
  const answer = await ask(socket, `show ssl crt-list ${certificateList}`);
  return answer.split('\n').filter((line) => line.startsWith(`${certificatesFolder}/`) && line !== certificateList);
}
