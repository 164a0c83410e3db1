/** PURE. Texts about a custom domain: why it is in its state, and what its owner can do. */
import type { Instant } from '../deployment.ts';
import { type Finding, type ProofAnswer, proofOutcome } from './domain-finding.ts';
import { isApex } from './domain-name.ts';
import type { ProofRecord } from './domain-proof.ts';
import { type Domain, type DomainState, releaseAt } from './domain-state.ts';

/** A record that its owner has to create; A and AAAA may need several. */
export type WantedRecord = { type: 'TXT' | 'CNAME' | 'A' | 'AAAA'; name: string; value: string };

/** `host`: the deployment's own host. An apex cannot be an alias, so it needs the addresses of this service. */
export function wantedRecords(domain: Domain, { proof, host }: { proof: ProofRecord; host: string }): WantedRecord[] {
  const { name, finding } = domain;
  const txt = { type: 'TXT' as const, ...proof };
  if (!isApex(name)) return [txt, { type: 'CNAME', name, value: host }];
  const addresses = (finding?.wanted ?? []).map((value) => ({
    type: value.includes(':') ? ('AAAA' as const) : ('A' as const),
    name,
    value,
  }));
  return [txt, ...addresses];
}

export type CertificateNews = { problem: string | null; nextTryAt: Instant };

/** Returns why it is not live; undefined if it is. */
export function domainReason(
  domain: Domain,
  state: DomainState,
  { proof, host, certificate }: { proof: ProofRecord; host: string; certificate?: CertificateNews | undefined },
): string | undefined {
  const { name, finding } = domain;
  switch (state) {
    case 'pending':
      return finding ? pendingWords(finding, proof) : 'It will be looked up in a moment.';
    case 'verified':
      return finding ? directionWords(finding, name, host) : undefined;
    case 'certifying':
      return certificate?.problem
        ? `The authority has issued no certificate: ${certificate.problem.replace(/\.?$/, '.')} The next try is at ${time(certificate.nextTryAt)}.`
        : 'The certificate is on its way.';
    case 'failing':
      return `${proofWords(finding?.proof ?? [], proof)} It stays live until ${time(releaseAt(domain) ?? 0)}; to keep it, put the record back before then.`;
    case 'released':
      return releasedWords(domain);
    case 'live':
      return undefined;
  }
}

function pendingWords(finding: Finding, proof: ProofRecord): string {
  return finding.isTaken ? 'The record is there, but another account has this name.' : proofWords(finding.proof, proof);
}

/** "TXT _berth.shop.example.com not found at ns1.example.com, found: …" */
function proofWords(answers: readonly ProofAnswer[], { name }: ProofRecord): string {
  const missing = answers.filter(({ said }) => said !== 'proof').map(answerWords);
  const what = proofOutcome(answers) === 'unanswered' ? 'could not be looked up' : 'not found';
  return `TXT ${name} ${what}: ${missing.join('; ') || 'no server was queried'}.`;
}

function answerWords(answer: ProofAnswer): string {
  switch (answer.said) {
    case 'other': {
      const more = answer.count > answer.found.length ? ` and ${answer.count - answer.found.length} more` : '';
      return `${answer.server} has ${answer.found.map((text) => JSON.stringify(text)).join(', ')}${more}`;
    }
    case 'failed':
      return `${answer.server} ${answer.because}`;
    default:
      return `${answer.server} has none`;
  }
}

function directionWords({ direction, wanted }: Finding, name: string, host: string): string {
  const target = isApex(name) ? `${wanted.join(' and ') || host} (A)` : `${host} (CNAME)`;
  switch (direction.kind) {
    case 'elsewhere':
      return (
        `${name} leads to ${direction.addresses.join(', ')}, which is not this service: it has to lead to ${target} alone. ` +
        `If that is a CDN, have it fetch from ${host}, and show a certificate of its own.`
      );
    case 'nowhere':
      return `${name} leads nowhere yet: it has to lead to ${target}.`;
    case 'unknown':
      return `Where ${name} leads could not be looked up: ${direction.because}.`;
    case 'here':
      return `${name} leads here.`;
  }
}

function releasedWords({ releasedBecause, heldUntil }: Domain): string {
  const why = {
    removed: 'It was removed.',
    unproven: 'Its TXT record was missing for too long.',
    ended: 'Its deployment has ended.',
  }[releasedBecause ?? 'removed'];
  return heldUntil === null ? why : `${why} Until ${time(heldUntil)} no other account can have it.`;
}

function time(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
