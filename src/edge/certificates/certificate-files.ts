/** Certificates of the operator's own files: read as the edge starts, and again when somebody has replaced them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lateAt, type ServedCertificate } from '../../lib/certificate-report.ts';
import type { EdgeLog } from '../edge-settings.ts';
import type { NamedCertificate } from '../haproxy/served-certificates.ts';
import { type Certificate, readCertificate, uncovered } from './certificate.ts';

/** Two paths of PEM files. */
export type CertificateFiles = { certificate: string; key: string };

export type FileCertificates = {
  files: readonly CertificateFiles[];
  /** Each has to be in one of the certificates; `*.example.com` for all names directly below. */
  hosts: readonly string[];
  now: () => number;
};

export type FileCertificate = NamedCertificate & ServedCertificate & { renewalDueAt: number };

/** Called once for each certificate whose renewal is missing. Never rejects. */
export type Alarm = (ending: FileCertificate) => Promise<void>;

/** `because` is in words for the operator. */
export type FilesRead = { ok: true; certificates: FileCertificate[] } | { ok: false; because: string };

/**
 * By their content, and not by notifications: a file may be replaced by a link to another one, in a mounted folder, or
 * over a network. A look at two files of some KB is 0.2 ms.
 */
const lookEveryMs = 5_000;

/** Programs renew a month before the end, or when a third of a short life is left: this is later than either. */
const latestRenewal = { beforeEndMs: 10 * 24 * 3_600_000, leftOfLife: 1 / 4 };
const remindEveryMs = 24 * 3_600_000;

/** What the files have. All or nothing: a half of a pair is of no use. */
export async function readCertificateFiles({ files, hosts, now }: FileCertificates): Promise<FilesRead> {
  return judge(await readTexts(files), { files, hosts, now });
}

/**
 * Hands on what the files have whenever it differs from `served`, and says why where that cannot be served; then what was
 * before goes on. Says each day that a certificate is about to end. Ends with the signal.
 * @param put rejects when the edge does not take them, and is tried again.
 */
export async function followCertificateFiles(
  source: FileCertificates & {
    served: readonly FileCertificate[];
    everyMs?: number;
    signal: AbortSignal;
    alarm?: Alarm | undefined;
  },
  put: (certificates: FileCertificate[]) => Promise<void>,
  log: EdgeLog,
): Promise<void> {
  const { files, now, signal, everyMs = lookEveryMs, alarm } = source;
  let { served } = source;
  let seen: string | undefined;
  let refused: string | undefined;
  let remindedAt = Number.NEGATIVE_INFINITY;
  let told: number | undefined;
  while (!signal.aborted) {
    const due = served.find(({ renewalDueAt }) => renewalDueAt <= now());
    if (due && now() - remindedAt >= remindEveryMs) {
      log.warn(
        { endsAt: new Date(due.expiresAt).toISOString() },
        'a certificate ends soon, and its files are not renewed',
      );
      remindedAt = now();
      if (told !== due.expiresAt) await alarm?.(due);
      told = due.expiresAt;
    }
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    const texts = await readTexts(files);
    const present = hash(JSON.stringify(texts));
    const read = judge(texts, source);
    const isServed = read.ok && identityOf(read.certificates) === identityOf(served);
    const failure = isServed
      ? undefined
      : read.ok
        ? await put(read.certificates).then(() => undefined, wordsOf)
        : read.because;
    if (read.ok && failure === undefined) {
      if (!isServed) log.info({ files: files.map(({ certificate }) => certificate) }, 'new certificates are served');
      served = read.certificates;
      refused = undefined;
    } else if (present === seen && present !== refused) {
      refused = present;
      log.warn({ because: failure }, 'the certificate files cannot be used; those from before are still served');
    }
    // One that is bad only now may be the first of two files that somebody is just replacing.
    seen = present;
  }
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

function wordsOf(error: Error): string {
  return error.message;
}
