/**
 * The custom domains that a configuration names: with `url:`, and below it with `subdomain:` of its pods. A claimed
 * deployment gets them as if they had been added by request.
 */
import { type AppSpec, subdomainOf } from '../../config/spec/spec.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Service } from '../api-service.ts';
import { addDomain } from './domain-changes.ts';
import { domainRecords } from './domain-records.ts';

type DomainShown = Awaited<ReturnType<typeof domainRecords>>[number];

/** `warnings`: why a domain could not be added. The application starts anyway. */
export type Named = { domain?: DomainShown; subdomains?: DomainShown[]; warnings: string[] };

/**
 * Runs after a start, an update or a claim, whose result does not depend on it. Repeating it is safe. Ownership is
 * checked later. Domains are never taken from another deployment, even of the same account, because a copied document
 * would take them.
 */
export async function addNamedDomains(
  service: Service,
  deployment: Deployment,
  spec: Pick<AppSpec, 'url' | 'pods'>,
): Promise<Named> {
  const warnings: string[] = [];
  if (spec.url === undefined || deployment.claimedAt === null) return { warnings };

  async function add(field: string, name: string): Promise<DomainShown[]> {
    const added = await addDomain(service, deployment, { domain: name, isNamedOnly: true });
    if (added.ok) return await domainRecords(service, deployment, [added.value]);
    const { error, hint } = added.problem;
    warnings.push(`${field}: ${error}${hint === undefined ? '' : ` ${hint}`}`);
    return [];
  }

  const [domain] = await add('application.url', spec.url);
  const subdomains: DomainShown[] = [];
  const names = spec.pods.map((pod) => subdomainOf(spec, pod));
  for (const [index, name] of names.entries())
    if (name !== undefined && names.indexOf(name) === index)
      subdomains.push(...(await add(`application.pods[${index}].subdomain`, name)));
  return { ...(domain && { domain }), ...(subdomains.length > 0 && { subdomains }), warnings };
}

/** Adds the domains and the warnings about the document to the findings. */
export function withNamed<T extends { warnings: string[] }>(findings: T, { warnings, ...domains }: Named) {
  return { ...findings, warnings: [...findings.warnings, ...warnings], ...domains };
}
