/** The canonical spelling of a host for routing: lower case, no port, no trailing dot. */

/**
 * The form of a host, in a regular expression for JavaScript and PCRE. HAProxy refuses all other requests with 400. It
 * is stricter than HTTP on purpose: with a comma, a space, an `@` or a `/`, one request could mean two hosts.
 */
export const hostPattern = String.raw`^([a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$`;

const allowed = new RegExp(hostPattern);
const ascii = /^[\x21-\x7e]*$/;

/** @returns undefined for an invalid host. DNS names have at most 253 characters. */
export function normalHost(host: string): string | undefined {
  // Checked before lower-casing: U+212A (the Kelvin sign) would become an ordinary `k`, and so the host of another
  // deployment.
  if (!ascii.test(host)) return undefined;
  const normal = host
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return normal.length <= 253 && allowed.test(normal) ? normal : undefined;
}
