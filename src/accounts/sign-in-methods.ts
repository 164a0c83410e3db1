/** PURE. How people can sign in at an address. */

/** A passkey is bound to a name, so IP addresses cannot have one. */
export function canHavePasskeys({ hostname }: URL): boolean {
  return !/^[\d.]+$|^\[/.test(hostname);
}
