/** The custom domain that a configuration names with `url:`. A claimed deployment gets it as if it had been added. */
import type { AppSpec } from '../../config/spec/spec.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Service } from '../api-service.ts';
import { addDomain } from './domain-changes.ts';
import { domainRecords } from './domain-records.ts';

type DomainShown = Awaited<ReturnType<typeof domainRecords>>[number];

/** `warning`: why it could not be added, which stands in no application's way. */
export type Named = { domain?: DomainShown; warning?: string };

/**
 * After the start, the update or the claim, which does not wait for it: asked for again it does the same again. Whose the
 * name is, is looked up later. It is taken from no other deployment, of the account either: a copy of a document would.
 */
export async function addNamedDomain(
  service: Service,
  deployment: Deployment,
  { url }: Pick<AppSpec, 'url'>,
): Promise<Named> {
  if (url === undefined || deployment.claimedAt === null) return {};
  const added = await addDomain(service, deployment, { domain: url, isNamedOnly: true });
  if (!added.ok) {
    const { error, hint } = added.problem;
    return { warning: `application.url: ${error}${hint === undefined ? '' : ` ${hint}`}` };
  }
  const [domain] = await domainRecords(service, deployment, [added.value]);
  return { domain: domain! };
}

/** With what was found odd about the document. */
export function withNamed<T extends { warnings: string[] }>(findings: T, { domain, warning }: Named) {
  const warnings = warning === undefined ? findings.warnings : [...findings.warnings, warning];
  return { ...findings, warnings, ...(domain && { domain }) };
}
