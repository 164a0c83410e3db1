/** Certificate alarms that the operator gets by mail, once per cause. Pure. */
import type { Instant } from '../../deployment/deployment.ts';
import { lateAt } from '../../lib/certificate-report.ts';
import type { CertificateState } from '../../store/certificates.ts';
import { isServed, type WantedCertificate } from './certificate-plan.ts';

/** `failing`: orders failed repeatedly; `ending`: the renewal is long overdue, which is reported once more. */
export type Alarm = { kind: 'failing' | 'ending'; hosts: string[]; subject: string; text: string };

/** A first failure may be the authority's or the network's; the third is some 20 minutes after it. */
const failuresToTell = 3;
const hostsInMail = 20;

/** Hosts without an alarm of this level since their last certificate. */
export function certificateAlarms(
  wanted: readonly WantedCertificate[],
  states: readonly CertificateState[],
  { now, service }: { now: Instant; service: string },
): Alarm[] {
  // The owner of a custom domain is notified of its direction instead.
  const hosts = new Set(wanted.filter(({ isCustom }) => !isCustom).map(({ host }) => host));
  const ours = states.filter(({ host }) => hosts.has(host));
  const ending = ours.filter((state) => state.told !== 'ending' && isEnding(state, now));
  const failing = ours.filter(
    (state) =>
      state.told === null && state.failures >= failuresToTell && state.problem !== null && !isEnding(state, now),
  );
  const alarms: Alarm[] = [
    {
      kind: 'ending',
      hosts: ending.map(({ host }) => host),
      subject: `Certificates of ${service} are about to end`,
      text: mailText(ending, `These certificates of ${service} should long have been renewed:`),
    },
    {
      kind: 'failing',
      hosts: failing.map(({ host }) => host),
      subject: `Certificates of ${service} are not issued`,
      text: mailText(
        failing,
        `The authority does not issue these certificates of ${service}; the requests are repeated:`,
      ),
    },
  ];
  return alarms.filter(({ hosts }) => hosts.length > 0);
}

function isEnding(state: CertificateState, now: Instant): boolean {
  const { issuedAt, expiresAt } = state;
  return isServed(state, now) && lateAt({ begunAt: issuedAt!, expiresAt: expiresAt! }) <= now;
}

function mailText(states: readonly CertificateState[], first: string): string {
  const lines = states.slice(0, hostsInMail).map(({ host, expiresAt, problem }) => {
    const end = expiresAt === null ? 'it has none' : `it ends at ${new Date(expiresAt).toISOString()}`;
    return `${host}: ${end}${problem === null ? '' : `\n    ${problem}`}`;
  });
  const more = states.length > hostsInMail ? [`and ${states.length - hostsInMail} more`] : [];
  const list = [...lines, ...more].map((line) => `  ${line}`).join('\n');
  return `${first}\n\n${list}\n\n"berth admin doctor" on the machine shows details, and so does the log.\n`;
}
