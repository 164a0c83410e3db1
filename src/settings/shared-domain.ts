/**
 * Whether a browser treats applications and the API as one site. If it does, a tenant's page can set cookies that the
 * dashboard receives. Browsers use the Public Suffix List, including its part for private domains. Pure.
 */
import { getDomain } from 'tldts';

type Names = { baseUrl: URL; appsDomain: string };

/**
 * Returns the domain that both belong to, or undefined. IP addresses and `localhost` have no domain. Each name directly
 * below `localhost`, or below a name that is missing from the list, is a separate site.
 */
export function sharedDomain({ baseUrl, appsDomain }: Names): string | undefined {
  const domainOf = (host: string) => getDomain(host, { allowPrivateDomains: true });
  const api = domainOf(baseUrl.hostname);
  return api !== null && api === domainOf(`application.${appsDomain}`) ? api : undefined;
}

/** The mistake and its remedy, in one line. */
export function sharedDomainMistakes({ baseUrl, appsDomain }: Partial<Names>): string[] {
  const shared = baseUrl && appsDomain ? sharedDomain({ baseUrl, appsDomain }) : undefined;
  if (shared === undefined) return [];
  const both = `BERTH_APPS_DOMAIN (${appsDomain}) and BERTH_BASE_URL (${baseUrl!.hostname}) both belong to ${shared}`;
  const harm = "so that an application's page could set cookies of the dashboard";
  const remedy = 'use a separate domain for applications or for the API (an IP address works)';
  return [
    `${both}, ${harm}; ${remedy}. If you are the only user, set BERTH_ALLOW_UNSAFE=domain to start without this check`,
  ];
}
