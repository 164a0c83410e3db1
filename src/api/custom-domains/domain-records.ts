/** The API's record of a custom domain, and its schema for the description. */
import { Type } from 'typebox';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { proofRecord } from '../../deployment/domain/domain-proof.ts';
import { type Domain, domainState, domainStates, releaseAt } from '../../deployment/domain/domain-state.ts';
import { domainReason, wantedRecords } from '../../deployment/domain/domain-text.ts';
import { type CertificateState, certificatesOf } from '../../store/certificates.ts';
import { installationId } from '../../store/installation.ts';
import type { Service } from '../api-service.ts';

const Time = Type.String({ format: 'date-time' });

export const DomainRecord = Type.Object(
  {
    domain: Type.String({ examples: ['shop.example.com'] }),
    url: Type.String({ format: 'uri' }),
    state: Type.Enum([...domainStates], {
      description:
        '`pending`: not proven. `verified`: proven, but DNS does not point here. `certifying`: DNS points here, but the certificate is not issued yet. `failing`: served, but the proof is gone. `released`: the domain was lost.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why the domain is not live.' })),
    redirectTo: Type.Optional(Type.String({ description: 'The domain that visitors are sent to.' })),
    records: Type.Array(
      Type.Object({
        type: Type.Enum(['TXT', 'CNAME', 'A', 'AAAA']),
        name: Type.String(),
        value: Type.String(),
      }),
      {
        description:
          'The DNS records to set. A registered (apex) domain cannot have a CNAME record, so it has address records.',
      },
    ),
    addedAt: Time,
    verifiedAt: Type.Optional(Time),
    checkedAt: Type.Optional(Time),
    nextCheckAt: Type.Optional(Time),
    releasedAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the domain is lost unless its proof is found before, or when it was lost.',
      }),
    ),
  },
  { description: 'A custom domain of a deployment.' },
);

/** Returns the records of a deployment's domains, in their order. */
export async function domainRecords(
  service: Service,
  { label }: Pick<Deployment, 'label'>,
  domains: readonly Domain[],
) {
  const { db, now, settings } = service;
  const own = service.urlOf(label);
  const certificates = settings.domains?.hasCertificates
    ? await certificatesOf(
        db,
        domains.map(({ name }) => name),
      )
    : undefined;
  const installation = (await installationId(db)) ?? '';
  return domains.map((domain) => {
    const { name, accountId, redirectTo } = domain;
    const proof = proofRecord({ installation, accountId, name });
    const certificate = certificates?.get(name);
    const state = domainState(domain, certificates && isValid(certificate, now()));
    const reason = domainReason(domain, state, { proof, host: own.hostname, certificate });
    const isLost = state === 'released';
    const end = domain.releasedAt ?? releaseAt(domain);
    return {
      domain: name,
      url: `${own.protocol}//${name}${own.port && `:${own.port}`}`,
      state,
      ...(reason !== undefined && { reason }),
      ...(redirectTo !== null && { redirectTo }),
      records: wantedRecords(domain, { proof, host: own.hostname }),
      addedAt: print(domain.addedAt),
      ...(domain.verifiedAt !== null && { verifiedAt: print(domain.verifiedAt) }),
      ...(domain.checkedAt !== null && { checkedAt: print(domain.checkedAt) }),
      ...(!isLost && { nextCheckAt: print(domain.nextCheckAt) }),
      ...(end !== null && { releasedAt: print(end) }),
    };
  });
}

function isValid(certificate: CertificateState | undefined, now: Instant): boolean {
  return certificate?.expiresAt != null && certificate.expiresAt > now;
}

function print(instant: Instant): string {
  return new Date(instant).toISOString();
}
