/**
 * The certificates that HAProxy serves. They are added and replaced at run time without a reload. Their files only
 * exist while HAProxy starts, because they contain private keys.
 */
import { X509Certificate } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/replace-file.ts';
import type { EdgePaths } from '../edge-paths.ts';
import { addEntries, commandAll, replaceMap, runCommand } from './runtime-socket.ts';

export const certificatesFolder = 'certificates';
/** HAProxy names its certificates after the entries of this list. */
export const certificateList = `${certificatesFolder}/list`;
/** The hosts with a certificate. `*.example.com` stands for all names directly below. */
export const certifiedMap = 'certified.map';

/** `name`: a short unique word. The first certificate is shown to clients that name no host or an unknown one. */
export type NamedCertificate = {
  name: string;
  /** If an authority issues: requests to this host without TLS may now be redirected. */
  host?: string;
  pem: string;
};

export type ServedCertificates = {
  /** Sets the wanted certificates. HAProxy must still be updated. Returns the previously wanted ones. */
  want(certificates: readonly NamedCertificate[]): readonly NamedCertificate[];
  /**
   * Makes HAProxy serve the wanted certificates. Throws if it refuses one. Until another attempt succeeds, it serves
   * the previous one.
   */
  put(): Promise<void>;
  /** Writes the files for the start of HAProxy. Call the result after the start. */
  writeFiles(): Promise<() => void>;
  removeFiles(): Promise<void>;
};

/** `isIssued`: an authority issues them, and HAProxy has a map of the hosts that have one. */
export function createServedCertificates(paths: EdgePaths, isIssued: boolean): ServedCertificates {
  const socket = paths.adminSocket;
  const folder = join(paths.edge, certificatesFolder);
  let wanted: readonly NamedCertificate[] = [];
  /**
   * The certificates that HAProxy serves, by file name. Empty if it serves unknown ones. Undefined before the first
   * query: with 5,000 certificates, a query takes longer than adding one.
   */
  let served: Map<string, string> | undefined;
  /** The entries that its map of hosts is known to have. */
  let certified: Set<string> | undefined;

  async function putOne(file: string, pem: string, isNew: boolean): Promise<void> {
    if (isNew) await command(`new ssl cert ${file}`, /New empty certificate store/);
    try {
      await command(`set ssl cert ${file} <<\n${pem}`, /Transaction (created|updated) for certificate/);
      await command(`commit ssl cert ${file}`, /Success!/);
    } catch (error) {
      await runCommand(socket, `abort ssl cert ${file}`);
      if (isNew) await runCommand(socket, `del ssl cert ${file}`);
      throw error;
    }
    if (isNew) await command(`add ssl crt-list ${certificateList} ${file}`, /Success!/);
  }

  async function removeOne(file: string): Promise<void> {
    await command(`del ssl crt-list ${certificateList} ${file}`, /deleted in crtlist/);
    await command(`del ssl cert ${file}`, /deleted!/);
  }

  async function putCertificates(known: Map<string, string>): Promise<void> {
    const files = filesOf(wanted);
    for (const [file, pem] of files)
      if (known.get(file) !== pem) {
        await putOne(file, pem, !known.has(file));
        known.set(file, pem);
      }
    if (isIssued) await putHosts();
    for (const file of [...known.keys()])
      if (!files.has(file)) {
        await removeOne(file);
        known.delete(file);
      }
  }

  async function putHosts(): Promise<void> {
    const entries = hostEntries(wanted);
    const next = new Set(entries);
    const before = certified;
    certified = undefined;
    if (!before) await replaceMap(socket, certifiedMap, entries);
    else {
      const hosts = [...before].filter((entry) => !next.has(entry)).map((entry) => entry.split(' ', 1)[0]);
      await addEntries(
        socket,
        certifiedMap,
        entries.filter((entry) => !before.has(entry)),
      );
      await commandAll(
        socket,
        hosts.map((host) => `del map ${certifiedMap} ${host}`),
      );
    }
    certified = next;
  }

  /** The output contains no key, because HAProxy only repeats names. */
  async function command(words: string, expected: RegExp): Promise<void> {
    const answer = await runCommand(socket, words);
    if (!expected.test(answer)) throw new Error(`HAProxy refused "${words.split(' <<', 1)[0]}": ${answer.trim()}`);
  }

  return {
    want(certificates) {
      const before = wanted;
      wanted = certificates;
      return before;
    },
    async put() {
      const known = served ?? (await listServed(socket, wanted));
      served = undefined;
      await putCertificates(known);
      served = known;
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
        served = new Map(files);
        certified = new Set(entries);
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

/**
 * The files that HAProxy serves, even if they were deleted. Issued files are identified by the certificate, with which
 * its chain and key came. In the operator's files, the chain alone may have changed.
 */
async function listServed(socket: string, wanted: readonly NamedCertificate[]): Promise<Map<string, string>> {
  const answer = await runCommand(socket, `show ssl crt-list ${certificateList}`);
  const present = answer
    .split('\n')
    .filter((line) => line.startsWith(`${certificatesFolder}/`) && line !== certificateList);
  const known = new Map(present.map((file) => [file, '']));
  const issued = filesOf(wanted.filter(({ host }) => host !== undefined));
  const prints = await fingerprintsOf(
    socket,
    present.filter((file) => issued.has(file)),
  );
  for (const [file, print] of prints)
    if (new X509Certificate(issued.get(file)!).fingerprint.replaceAll(':', '') === print)
      known.set(file, issued.get(file)!);
  return known;
}

/** SHA-1, as HAProxy has it, by file. */
async function fingerprintsOf(socket: string, files: readonly string[]): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (let at = 0; at < files.length; at += askedAtOnce) {
    const line = files.slice(at, at + askedAtOnce).map((file) => `show ssl cert ${file}`);
    const answer = await runCommand(socket, line.join(';'));
    for (const [, file, print] of answer.matchAll(
      /^Filename: (\S+)\n(?:(?!Filename:).*\n)*?SHA1 FingerPrint: ([0-9A-F]{40})$/gm,
    ))
      found.push([file!, print!]);
  }
  return found;
}

/** A line must fit HAProxy's buffer of 16 KiB, and a DNS name has at most 253 bytes. */
const askedAtOnce = 40;
