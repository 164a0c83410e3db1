/** PURE. Problems of a custom domain that its owner is notified about, once per cause. */
import type { Instant } from '../deployment.ts';
import type { ProofRecord } from './domain-proof.ts';
import { type Domain, domainState } from './domain-state.ts';
import { type CertificateNews, domainReason, wantedRecords } from './domain-text.ts';

/**
 * `failing`: its proof is missing. `lost`: the proof was missing for too long. `uncertified`: its certificate was not
 * issued or not renewed.
 */
export type DomainProblem = 'failing' | 'lost' | 'uncertified';

/** `failures`: consecutive failures of its orders. */
export type CertificateTries = CertificateNews & { failures: number; expiresAt: Instant | null };

/** The first failures may be temporary. The third one is some 20 minutes after the first. */
const failuresToTell = 3;

/** Returns undefined without a problem, or if the name was never proven. */
export function domainProblem(domain: Domain, tries: CertificateTries | undefined): DomainProblem | undefined {
  if (domain.verifiedAt === null) return undefined;
  if (domain.releasedAt !== null) return domain.releasedBecause === 'unproven' ? 'lost' : undefined;
  if (domain.failingSince !== null) return 'failing';
  const isLed = domain.finding?.direction.kind === 'here';
  const isReported = tries !== undefined && tries.failures >= failuresToTell && tries.problem !== null;
  return isLed && isReported ? 'uncertified' : undefined;
}

export type AboutDomain = {
  proof: ProofRecord;
  /** The deployment's own host. */
  host: string;
  applicationName: string;
  /** The page with details for its owner. */
  dashboardUrl: string;
  tries: CertificateTries | undefined;
  now: Instant;
};

export function domainMail(
  domain: Domain,
  trouble: DomainProblem,
  { proof, host, applicationName, dashboardUrl, tries, now }: AboutDomain,
): { subject: string; text: string } {
  const { name } = domain;
  const reason = () => {
    if (trouble !== 'uncertified') return domainReason(domain, domainState(domain, undefined), { proof, host });
    const words = domainReason(domain, 'certifying', { proof, host, certificate: tries });
    const end = tries?.expiresAt;
    return end !== null && end !== undefined && end > now
      ? `${words} The current certificate ends at ${new Date(end).toISOString()}.`
      : words;
  };
  const records = wantedRecords(domain, { proof, host }).map(({ type, name, value }) => `  ${name}  ${type}  ${value}`);
  const text = [
    `${name} leads to your application ${applicationName}. ${reason()}`,
    `Set these records in DNS:\n\n${records.join('\n')}`,
    dashboardUrl,
  ];
  return { subject: `${name} ${subjects[trouble]}`, text: `${text.join('\n\n')}\n` };
}

const subjects: Record<DomainProblem, string> = {
  failing: 'is about to be lost',
  lost: 'was lost',
  uncertified: 'has no certificate',
};
