/** PURE. Where the links of mails lead, and what their tokens are for. */

const verifyPage = '/verify-email';

/** Whether a token changes the address of an account. Its signature is not verified yet. */
export function isChangeOfAddress(token: unknown): boolean {
  return addressesIn(token) !== undefined;
}

/** Of a token that gives an account another address: the present one and the next. */
export function addressesIn(token: unknown): { from: string; to: string } | undefined {
  if (typeof token !== 'string') return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const { email, updateTo } = (payload ?? {}) as { email?: unknown; updateTo?: unknown };
    return typeof email === 'string' && typeof updateTo === 'string' ? { from: email, to: updateTo } : undefined;
  } catch {
    // No token of the library's.
    return undefined;
  }
}

/** The dashboard's page says that an address is verified where the service says so of the token, and not without one. */
export function verificationLink(link: string, token: string): string {
  const url = new URL(link);
  const page = `${verifyPage}?token=${token}`;
  // The signed-in browser changes the address, not any client that opens the link.
  if (isChangeOfAddress(token)) return new URL(page, url).href;
  if (url.searchParams.get('callbackURL') === verifyPage) url.searchParams.set('callbackURL', page);
  return url.href;
}
