/** PURE. How people can sign in at an address. */

/** A passkey is bound to a name: there is none for an address of numbers. */
export function canHavePasskeys({ hostname }: URL): boolean {
  return !/^[\d.]+$|^\[/.test(hostname);
}
