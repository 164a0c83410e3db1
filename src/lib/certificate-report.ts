/** The edge's report on its certificates. Instants are milliseconds since 1970. */

export type CertificateReport = {
  served: readonly ServedCertificate[];
  /** The number of hosts that need a certificate and have none, and of hosts whose last order failed. */
  missing: number;
  failing: number;
  /** Whether the service's own names have certificates. */
  isReady: boolean;
  /** The API host's certificate was renewed before, so renewals work, and browsers may be required to use HTTPS. */
  isRenewed: boolean;
  /** Missing certificates by host (`*.example.com` for all names directly below). */
  waiting: ReadonlyMap<string, CertificateWait>;
};

/**
 * Why a host does not have a certificate yet. `ordered`: the order is in progress. `limit`: the authority does not
 * issue more before `until`. `failed`: the order failed and is retried at `until`.
 */
export type CertificateWait = { because: 'ordered' } | { because: 'limit' | 'failed'; until: number };

/** `hosts`: as of `waiting`. From `lateAt` on it should long have been renewed. */
export type ServedCertificate = { hosts: readonly string[]; expiresAt: number; lateAt: number };

/** A notice about a host's certificate. `late`: it ends at `until`, and its renewal is long overdue. */
export type CertificateNotice = CertificateWait | { because: 'late'; until: number };

export type CertificateListener = (report: CertificateReport) => void;

/** The warning for the operator at `now`; undefined without problems. */
export function certificateProblem({ served, isReady }: CertificateReport, now: number): string | undefined {
  if (!isReady) return "The service's own certificate is missing.";
  const ends = served.filter((each) => each.lateAt <= now).map(({ expiresAt }) => expiresAt);
  if (ends.length === 0) return undefined;
  return `${ends.length} of ${served.length} certificates should long have been renewed; the first ends at ${new Date(Math.min(...ends)).toISOString()}.`;
}

/** Returns why the host has no certificate yet. Undefined if it has one, or needs none. */
export function certificateWait(report: CertificateReport | undefined, host: string): CertificateWait | undefined {
  return report?.waiting.get(host) ?? report?.waiting.get(wildcardOf(host));
}

/**
 * The reason why the host has no certificate yet, or a warning if its certificate ends soon at `now`; undefined
 * otherwise.
 */
export function certificateNotice(
  report: CertificateReport | undefined,
  host: string,
  now: number,
): CertificateNotice | undefined {
  const wait = certificateWait(report, host);
  if (wait || !report) return wait;
  const isFor = ({ hosts }: ServedCertificate) => hosts.includes(host) || hosts.includes(wildcardOf(host));
  const late = report.served.find((each) => each.lateAt <= now && isFor(each));
  return late && { because: 'late', until: late.expiresAt };
}

/** The wildcard name for its siblings. */
function wildcardOf(host: string): string {
  return host.replace(/^[^.]+/, '*');
}

/** For visitors. */
export function noticeText(notice: CertificateNotice): string {
  if (notice.because === 'ordered') return 'Its certificate is being issued, which takes some seconds.';
  const until = `${new Date(notice.until).toISOString().slice(0, 16).replace('T', ' at ')} UTC`;
  if (notice.because === 'late')
    return `Its certificate ends on ${until} and could not be renewed yet. The operator of this service must fix that.`;
  if (notice.because === 'limit') return `The authority issues no more certificates for this service before ${until}.`;
  return `The authority has not issued its certificate. The next request is on ${until}.`;
}

const weekMs = 7 * 24 * 3_600_000;

/** Returns when a renewal is overdue: a week before the end, or in the last sixth of a short lifetime. */
export function lateAt({ begunAt, expiresAt }: { begunAt: number; expiresAt: number }): number {
  return expiresAt - Math.min(weekMs, (expiresAt - begunAt) / 6);
}
