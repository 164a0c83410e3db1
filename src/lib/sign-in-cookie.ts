/** What the cookies of a sign-in are called. Pure. */

/**
 * Over HTTPS a name that no other host can set, whatever domain it shares with this one: browsers take `__Host-` from
 * the host itself alone (RFC 6265bis, 4.1.3.2), and only with `Secure`, `Path=/` and no `Domain`.
 */
export function signInCookiePrefix({ protocol }: URL): string {
  return protocol === 'https:' ? '__Host-berth' : 'berth';
}
