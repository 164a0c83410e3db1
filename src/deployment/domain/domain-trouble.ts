/** PURE. What the owner of a custom domain is told by mail, once for each cause. */
import type { Instant } from '../deployment.ts';
import type { ProofRecord } from './domain-proof.ts';
import { type Domain, domainState } from './domain-state.ts';
import { type CertificateNews, domainReason, wantedRecords } from './domain-words.ts';

/**
 * `failing`: its proof is gone; `lost`: it was gone for too long; `uncertified`: its certificate is not issued, or not
 * renewed.
 */
export type DomainTrouble = 'failing' | 'lost' | 'uncertified';

/** `failures`: of its orders, in a row. */
export type CertificateTries = CertificateNews & { failures: number; expiresAt: Instant | null };

/** A first failure may be the authority's or the network's; the third is some 20 minutes after it. */
const failuresToTell = 3;

/** Undefined while all is well, or only just begun: who has never proven a name is at it. */
export function domainTrouble(domain: Domain, tries: CertificateTries | undefined): DomainTrouble | undefined {
  if (domain.verifiedAt === null) return undefined;
  if (domain.releasedAt !== null) return domain.releasedBecause === 'unproven' ? 'lost' : undefined;
  if (domain.failingSince !== null) return 'failing';
  const isLed = domain.finding?.direction.kind === 'here';
  const isTold = tries !== undefined && tries.failures >= failuresToTell && tries.problem !== null;
  return isLed && isTold ? 'uncertified' : undefined;
}

export type AboutDomain = {
  proof: ProofRecord;
  /** The deployment's own. */
  host: string;
  applicationName: string;
  /** Where its owner sees the rest. */
  dashboardUrl: string;
  tries: CertificateTries | undefined;
  now: Instant;
};

export function domainMail(
  domain: Domain,
  trouble: DomainTrouble,
  { proof, host, applicationName, dashboardUrl, tries, now }: AboutDomain,
): { subject: string; text: string } {
  const { name } = domain;
  const reason = () => {
    if (trouble !== 'uncertified') return domainReason(domain, domainState(domain, undefined), { proof, host });
    const words = domainReason(domain, 'certifying', { proof, host, certificate: tries });
    const end = tries?.expiresAt;
    return end !== null && end !== undefined && end > now
      ? `${words} The one that is shown ends at ${new Date(end).toISOString()}.`
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

const subjects: Record<DomainTrouble, string> = {
  failing: 'is about to be lost',
  lost: 'was lost',
  uncertified: 'has no certificate',
};
