/** PURE. Validates and normalizes names of custom domains. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';

/** Domains of the operator. No account may have one of them, or a subdomain. */
export type OwnNames = { apiHost: string; appsDomain: string };

/** DNS names have at most 253 characters, including the prefix of the proof record. */
export const proofPrefix = '_berth.';
const longestName = 253 - proofPrefix.length;

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the name in lower case and ASCII (IDNA), without a final dot. */
export function readDomainName(text: string, own: OwnNames): Result<string> {
  const given = text.trim();
  if (/^[a-z]+:\/\/|[/:@?#\s]/i.test(given)) return invalid('is an address, not a name', 'Give only the name.');
  if (given.includes('*')) return invalid('has a wildcard', 'Add each name separately: a certificate covers one name.');
  const name = domainToASCII(given.replace(/\.$/, ''));
  const labels = name.split('.');
  if (isIP(name) > 0) return invalid('is an IP address', 'Give a name such as shop.example.com.');
  if (name.length > longestName || !labels.every((each) => label.test(each)))
    return invalid('is not a host name', 'A name consists of letters, digits, hyphens and dots: shop.example.com.');
  if (labels.length < 2) return invalid('has only one part', 'Give a full name such as shop.example.com.');
  if (['localhost', 'local', 'internal', 'invalid', 'onion', 'arpa'].includes(labels.at(-1)!))
    return invalid('is not a public domain name', 'Give a name in public DNS.');
  if (isBelow(name, own.apiHost) || isBelow(name, own.appsDomain))
    return invalid('is a name of this service', 'Give a name of your own.');
  if (registrableOf(name) === undefined)
    return invalid(
      'is a public suffix, under which everyone can register names',
      'Give a name under it that is yours.',
    );
  return succeed(name);

  function invalid(because: string, hint: string): Result<never> {
    const shown = given.length > 80 ? `${given.slice(0, 80)}…` : given;
    return refuse('invalid_domain', `"${shown}" ${because}.`, hint);
  }
}

/** Returns the registrable domain, `example.co.uk` for `shop.example.co.uk`; undefined for a public suffix. */
export function registrableOf(name: string): string | undefined {
  return parse(name, { allowPrivateDomains: true }).domain ?? undefined;
}

/** A registrable domain itself cannot be an alias (CNAME). */
export function isApex(name: string): boolean {
  return registrableOf(name) === name;
}

function isBelow(name: string, other: string): boolean {
  return name === other || name.endsWith(`.${other}`);
}
