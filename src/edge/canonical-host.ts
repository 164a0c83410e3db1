/** The one spelling of a host that routing compares: lower case, no port, no trailing dot. */

/**
 * The form of a host, in a syntax that JavaScript and PCRE read alike: HAProxy refuses every other request with 400.
 * Stricter than HTTP on purpose: with a comma, a space, an `@` or a `/`, one request could mean two hosts.
 */
export const hostPattern = String.raw`^([a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$`;

const allowed = new RegExp(hostPattern);
const ascii = /^[\x21-\x7e]*$/;

/** @returns nothing for what is not a host. DNS ends at 253 characters. */
export function normalHost(host: string): string | undefined {
  // Before lower-casing: U+212A (the Kelvin sign) would become an ordinary `k`, and so another's host.
  if (!ascii.test(host)) return undefined;
  const normal = host
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return normal.length <= 253 && allowed.test(normal) ? normal : undefined;
}
