/**
 * The certificates that HAProxy serves: put in and replaced while it runs, without a reload. It reads files only when it
 * starts; they are there for so long, and no longer, since they hold private keys.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EdgePaths } from '../edge-paths.ts';
import { ask } from './runtime-socket.ts';

export const certificatesFolder = 'certificates';
/** HAProxy names the certificates that it serves by what stands here. */
export const certificateList = `${certificatesFolder}/list`;

/** `name`: a short word of its own; the first of several is shown to who names no host, or none that is known. */
export type NamedCertificate = { name: string; pem: string };

export type ServedCertificates = {
  /** These and no others, from now on; HAProxy has yet to be told. Answers what was wanted before. */
  want(certificates: readonly NamedCertificate[]): readonly NamedCertificate[];
  /** Has HAProxy serve what is wanted. Throws when it refuses one: until another try succeeds, it serves the one from before. */
  put(): Promise<void>;
  /** Writes the files that HAProxy starts from; whoever has started it calls what this returns. */
  writeFiles(): Promise<() => void>;
  removeFiles(): Promise<void>;
};

export function createServedCertificates(paths: EdgePaths): ServedCertificates {
  const socket = paths.adminSocket;
  const folder = join(paths.edge, certificatesFolder);
  let wanted: readonly NamedCertificate[] = [];
  /** What HAProxy is known to serve, by the name of the file; empty while that is not known. */
  const served = new Map<string, string>();

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
      for (const file of present) if (!files.has(file)) await removeOne(file);
    },
    async writeFiles() {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { mode: 0o700 });
      const write = (name: string, text: string) =>
        writeFile(join(paths.edge, name), text, { mode: 0o600, flag: 'wx' });
      const files = filesOf(wanted);
      await Promise.all([...files].map(([file, pem]) => write(file, pem)));
      await write(certificateList, [...files.keys()].map((file) => `${file}\n`).join(''));
      return () => {
        served.clear();
        for (const [file, pem] of files) served.set(file, pem);
      };
    },
    removeFiles: () => rm(folder, { recursive: true, force: true }),
  };
}

function filesOf(certificates: readonly NamedCertificate[]): Map<string, string> {
  return new Map(certificates.map(({ name, pem }) => [`${certificatesFolder}/${name}.pem`, pem]));
}

/** The files that HAProxy serves, whether they are still there or not. */
async function listed(socket: string): Promise<string[]> {
  const answer = await ask(socket, `show ssl crt-list ${certificateList}`);
  return answer.split('\n').filter((line) => line.startsWith(`${certificatesFolder}/`) && line !== certificateList);
}
