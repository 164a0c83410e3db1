/** The names of sign-in cookies. Pure. */

/**
 * Over HTTPS, a name that other hosts cannot set, even on the same domain: browsers accept `__Host-` only from the host
 * itself (RFC 6265bis, 4.1.3.2), and only with `Secure`, `Path=/` and no `Domain`.
 */
export function signInCookiePrefix({ protocol }: URL): string {
  return protocol === 'https:' ? '__Host-berth' : 'berth';
}
