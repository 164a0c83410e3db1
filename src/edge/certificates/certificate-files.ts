/** Certificates in the operator's own files, read when the edge starts and when they are replaced. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { lateAt, type ServedCertificate } from '../../lib/certificate-report.ts';
import { runRounds } from '../../lib/rounds.ts';
import type { EdgeLog } from '../edge-settings.ts';
import type { NamedCertificate } from '../haproxy/served-certificates.ts';
import { type Certificate, readCertificate, uncovered } from './certificate.ts';

/** Two paths of PEM files. */
export type CertificateFiles = { certificate: string; key: string };

export type FileCertificates = {
  files: readonly CertificateFiles[];
  /** Hosts that the certificates must cover. `*.example.com` stands for all names directly below. */
  hosts: readonly string[];
  now: () => number;
};

export type FileCertificate = NamedCertificate & ServedCertificate & { renewalDueAt: number };

/** Called once for each certificate whose renewal is missing. Never rejects. */
export type Alarm = (ending: FileCertificate) => Promise<void>;

/** `because` is in words for the operator. */
export type FilesRead = { ok: true; certificates: FileCertificate[] } | { ok: false; because: string };

/**
 * Compares the content of the files instead of watching them. A file may be replaced by a link, be in a mounted folder
 * or on a network. Reading two files of a few KB takes 0.2 ms.
 */
const lookEveryMs = 5_000;

/**
 * Most programs renew a month before the end, or when a third of a short lifetime is left. This limit is later than
 * both.
 */
const latestRenewal = { beforeEndMs: 10 * 24 * 3_600_000, leftOfLife: 1 / 4 };
const remindEveryMs = 24 * 3_600_000;

/** The contents of the files. All or nothing: a half of a pair is useless. */
export async function readCertificateFiles({ files, hosts, now }: FileCertificates): Promise<FilesRead> {
  return judge(await readTexts(files), { files, hosts, now });
}

/**
 * Checks the files until it is disposed of. New certificates are passed to `put`. If the files cannot be used, the log
 * has the reason and the previous certificates stay. Logs once a day that a certificate is about to end. @param put
 * rejects if the edge refuses the certificates; the next round tries again.
 */
export function followCertificateFiles(
  source: FileCertificates & { served: readonly FileCertificate[]; everyMs?: number; alarm?: Alarm | undefined },
  put: (certificates: FileCertificate[]) => Promise<void>,
  log: EdgeLog,
): AsyncDisposable {
  const { files, now, everyMs = lookEveryMs, alarm } = source;
  let { served } = source;
  let seen: string | undefined;
  let refused: string | undefined;
  let remindedAt = Number.NEGATIVE_INFINITY;
  let reported: number | undefined;

  async function remind(): Promise<void> {
    const due = served.find(({ renewalDueAt }) => renewalDueAt <= now());
    if (!due || now() - remindedAt < remindEveryMs) return;
    log.warn(
      { endsAt: new Date(due.expiresAt).toISOString() },
      'a certificate ends soon, and its files are not renewed',
    );
    remindedAt = now();
    if (reported !== due.expiresAt) await alarm?.(due);
    reported = due.expiresAt;
  }

  async function look(): Promise<void> {
    const texts = await readTexts(files);
    const present = hash(JSON.stringify(texts));
    const read = judge(texts, source);
    const isServed = read.ok && identityOf(read.certificates) === identityOf(served);
    const failure = isServed
      ? undefined
      : read.ok
        ? await put(read.certificates).then(() => undefined, messageOf)
        : read.because;
    if (read.ok && failure === undefined) {
      if (!isServed) log.info({ files: files.map(({ certificate }) => certificate) }, 'new certificates are served');
      served = read.certificates;
      refused = undefined;
    } else if (present === seen && present !== refused) {
      refused = present;
      log.warn({ because: failure }, 'the certificate files cannot be used; those from before are still served');
    }
    // If only this check failed, another program may be replacing the first of two files.
    seen = present;
  }

  return runRounds({
    name: 'certificate-files',
    everyMs,
    longestMs: everyMs,
    work: async () => {
      await remind();
      await look();
    },
    onFault: (error) =>
      log.warn({ because: messageOf(error as Error) }, 'the certificate files could not be read; retrying'),
  });
}

type Texts = { certificate: string; key: string; unreadable?: string }[];

async function readTexts(files: readonly CertificateFiles[]): Promise<Texts> {
  return await Promise.all(
    files.map(async ({ certificate, key }) => {
      try {
        return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
      } catch (error) {
        return { certificate: '', key: '', unreadable: (error as Error).message };
      }
    }),
  );
}

function judge(texts: Texts, { files, hosts, now }: FileCertificates): FilesRead {
  const certificates: Certificate[] = [];
  for (const [index, { certificate, key, unreadable }] of texts.entries()) {
    const read = unreadable ? ({ ok: false, because: unreadable } as const) : readCertificate(certificate, key, now());
    if (!read.ok) return { ok: false, because: `${files[index]!.certificate}: ${read.because}` };
    certificates.push(read.certificate);
  }
  const missing = uncovered(certificates, hosts);
  if (missing.length > 0) return { ok: false, because: `no certificate is for ${missing.join(' and ')}` };
  return {
    ok: true,
    certificates: certificates.map((certificate, index) => {
      const { pem, leaf } = certificate;
      const [begunAt, expiresAt] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
      const leftMs = Math.min(latestRenewal.beforeEndMs, (expiresAt - begunAt) * latestRenewal.leftOfLife);
      const late = lateAt({ begunAt, expiresAt });
      const covered = hosts.filter((host) => uncovered([certificate], [host]).length === 0);
      const times = { expiresAt, renewalDueAt: expiresAt - leftMs, lateAt: late };
      return { name: `file-${index + 1}`, pem, hosts: covered, ...times };
    }),
  };
}

function identityOf(certificates: readonly FileCertificate[]): string {
  return hash(JSON.stringify(certificates));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function messageOf(error: Error): string {
  return error.message;
}
