/**
 * Whether applications and the API are one site to a browser: then a tenant's page can set cookies that the dashboard
 * receives. Browsers go by the Public Suffix List, the part for private domains included. Pure.
 */
import { getDomain } from 'tldts';

type Names = { baseUrl: URL; appsDomain: string };

/**
 * The domain that both belong to, or undefined. Addresses of numbers have no domain, nor has `localhost`, and each name
 * directly below `localhost` or another name that the list does not know is a site of its own.
 */
export function sharedDomain({ baseUrl, appsDomain }: Names): string | undefined {
  const domainOf = (host: string) => getDomain(host, { allowPrivateDomains: true });
  const api = domainOf(baseUrl.hostname);
  return api !== null && api === domainOf(`application.${appsDomain}`) ? api : undefined;
}

/** What to do about it, in one line. */
export function sharedDomainMistakes({ baseUrl, appsDomain }: Partial<Names>): string[] {
  const shared = baseUrl && appsDomain ? sharedDomain({ baseUrl, appsDomain }) : undefined;
  if (shared === undefined) return [];
  const both = `BERTH_APPS_DOMAIN (${appsDomain}) and BERTH_BASE_URL (${baseUrl!.hostname}) are both of ${shared}`;
  const harm = "so that an application's page could set cookies of the dashboard";
  const remedy = 'give applications a domain of their own, or the API (its IP address will do)';
  return [
    `${both}, ${harm}; ${remedy}. Where nobody but you deploys, BERTH_ALLOW_UNSAFE=1 or =domain serves all the same`,
  ];
}
