/** An ACME authority (RFC 8555). The library implements the protocol. No decisions are made here. */
import { Agent } from 'node:https';
import { AuthorityKeyIdentifierExtension, X509Certificate } from '@peculiar/x509';
import acme from 'acme-client';
import type { Instant } from '../../deployment/deployment.ts';
import { printable } from '../../lib/printable.ts';
import type { ChallengeKind } from './certificate-plan.ts';
import { readDirectory } from './directory.ts';

export type AuthoritySettings = {
  directory: URL;
  email: string | undefined;
  /** PEM of the authority's own root, where the machine does not trust it. */
  root: string | undefined;
};

/** The response that the authority requests: `answer`, at a path of the host with this token, or in its TXT record. */
export type Challenge = { kind: ChallengeKind; host: string; token: string; answer: string };

/** `show` publishes the answer of a challenge and resolves when it is visible. `hide` removes it. */
export type Answerer = { show(challenge: Challenge): Promise<void>; hide(challenge: Challenge): Promise<void> };

export type Authority = {
  /** Returns PEM. Rejects with the authority's message. `replaces`: the chain that is renewed. */
  issue(
    order: { host: string; challenge: ChallengeKind; replaces?: string | undefined },
    answerer: Answerer,
  ): Promise<{ chain: string; key: string }>;
  /** Returns the authority's suggested renewal time for this chain. Undefined if it does not suggest one. */
  suggestion(chain: string): Promise<Suggestion | undefined>;
};

/** The fields that the library's types lack. */
type PersistentChallenge = acme.Authorization['challenges'][number] & {
  'issuer-domain-names'?: string[];
  accounturi?: string;
};

/** Limits for a slow authority, which occupies a place in the queue, and for an endless response. */
const request = { timeout: 30_000, maxContentLength: 1 << 20, maxRedirects: 3 };

/** Polls a validation after 0.25 s, 0.5 s, and then every 1 to 2 s, for two minutes. A user may be waiting. */
const polling = { backoffAttempts: 65, backoffMin: 250, backoffMax: 2_000 };

export async function makeAccountKey(): Promise<string> {
  return String(await acme.crypto.createPrivateEcdsaKey('P-256'));
}

/** The account is made, or found by its key, with the first order. `accountKey`: PEM. */
export function openAuthority({ directory, email, root }: AuthoritySettings, accountKey: string): Authority {
  // The library has one global HTTP client. Retries are decided by the caller.
  Object.assign(acme.axios.defaults, request, root !== undefined && { httpsAgent: new Agent({ ca: root }) });
  Object.assign((acme.axios.defaults as { acmeSettings?: object }).acmeSettings ?? {}, { retryMaxAttempts: 0 });
  const client = new acme.Client({ directoryUrl: directory.href, accountKey, ...polling });
  const contact = email === undefined ? [] : [`mailto:${email}`];
  let account: Promise<unknown> | undefined;

  async function provideAccount(): Promise<void> {
    account ??= client.createAccount({ termsOfServiceAgreed: true, contact });
    await account.catch((error: unknown) => {
      account = undefined;
      throw error;
    });
  }

  async function validate(authorization: acme.Authorization, kind: ChallengeKind, answerer: Answerer): Promise<void> {
    if (authorization.status === 'valid') return;
    const challenge = authorization.challenges.find(({ type }) => type === kind);
    const host = authorization.identifier.value;
    if (!challenge) throw new Error(`it offers no ${kind} for ${host}`);
    if (kind === 'dns-persist-01') return await validateRecord(authorization, challenge);
    const answer = await client.getChallengeKeyAuthorization(challenge);
    const shown = { kind, host, token: challenge.token, answer };
    try {
      await answerer.show(shown);
      await client.completeChallenge(challenge);
      // The challenge contains the reason of a failure. The order depends on the authorization.
      await client.waitForValidStatus(challenge);
      await client.waitForValidStatus(authorization);
    } finally {
      await answerer.hide(shown);
    }
  }

  /** The expected record is only known after the request. The error contains it for the operator. */
  async function validateRecord(authorization: acme.Authorization, challenge: PersistentChallenge): Promise<void> {
    const { 'issuer-domain-names': issuers = [], accounturi = client.getAccountUrl() } = challenge;
    const policy = authorization.wildcard ? '; policy=wildcard' : '';
    const name = `_validation-persist.${authorization.identifier.value}`;
    try {
      await client.completeChallenge(challenge);
      await client.waitForValidStatus(challenge);
      await client.waitForValidStatus(authorization);
    } catch (error) {
      const wanted = `set the TXT record ${name} to "${issuers[0] ?? 'the authority'}; accounturi=${accounturi}${policy}"`;
      throw new Error(`${wanted}: ${(error as Error).message}`);
    }
  }

  return {
    issue: ({ host, challenge, replaces }, answerer) =>
      inPlainWords(async () => {
        const { renewalInfo } = await readDirectory(directory, root);
        await provideAccount();
        const hasRenewals = replaces !== undefined && renewalInfo !== undefined;
        const order = await client.createOrder({
          identifiers: [{ type: 'dns', value: host }],
          ...(hasRenewals && { replaces: renewalId(replaces) }),
        });
        for (const authorization of await client.getAuthorizations(order))
          await validate(authorization, challenge, answerer);
        const key = await acme.crypto.createPrivateEcdsaKey('P-256');
        const [, csr] = await acme.crypto.createCsr({ altNames: [host] }, key);
        const finalized = await client.finalizeOrder(order, csr);
        return { chain: await client.getCertificate(finalized), key: String(key) };
      }),
    suggestion: (chain) =>
      inPlainWords(async () => {
        const { renewalInfo: address } = await readDirectory(directory, root);
        const id = address === undefined ? undefined : renewalId(chain);
        if (id === undefined) return undefined;
        const { data, headers } = await acme.axios.request({ url: `${address}/${id}`, method: 'get' });
        return readSuggestion(data, headers['retry-after']);
      }),
  };
}

/** RFC 9773, 4.1: issuer key and serial number. Undefined if the certificate does not name its issuer. */
export function renewalId(chain: string): string | undefined {
  const leaf = new X509Certificate(chain);
  const issuer = leaf.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (!issuer) return undefined;
  // As in DER, where a set first bit would be a sign.
  const serial = /^[89a-f]/i.test(leaf.serialNumber) ? `00${leaf.serialNumber}` : leaf.serialNumber;
  return [issuer, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}

/** An authority repeats what it has found at the host, which may be a stranger's. */
async function inPlainWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The library's error for a broken connection.
    const isBroken = error instanceof TypeError && error.message.includes("'config'");
    const words = isBroken ? 'the connection to the authority broke off' : (error as Error).message;
    throw new Error(printable(words).slice(0, 500));
  }
}

/** When a certificate is renewed. Pure. */

/** The share of the lifetime after which a certificate is renewed. */
const share = 2 / 3;

/** Renewals of certificates that were issued together are spread over a twentieth of their lifetime. */
const jitter = 1 / 20;

/**
 * Computes the renewal time from the remaining lifetime, not from the first day. If the clock is ahead of the
 * authority's clock, each new certificate would otherwise be due at once. @param random from 0 to 1.
 */
export function renewalAt({ now, expiresAt, random }: { now: Instant; expiresAt: Instant; random: number }): Instant {
  const leftMs = Math.max(0, expiresAt - now);
  return Math.round(now + leftMs * (share - jitter * random));
}

/** The authority's own wish (RFC 9773). */
type Suggestion = { start: Instant; end: Instant; retryAfterMs: number };

const maxRetryMs = 24 * 3_600_000;
const minRetryMs = 3_600_000;

/** The suggestion in an answer of `renewalInfo`, or undefined if it is unusable. */
export function readSuggestion(body: unknown, retryAfter: unknown): Suggestion | undefined {
  const { suggestedWindow: window } = (body ?? {}) as { suggestedWindow?: { start?: unknown; end?: unknown } };
  const [start, end] = [window?.start, window?.end].map((text) => Date.parse(String(text)));
  if (!Number.isFinite(start) || !Number.isFinite(end) || end! < start!) return undefined;
  const seconds = /^\d{1,9}$/.test(String(retryAfter)) ? Number(retryAfter) : 6 * 3600;
  const retryAfterMs = Math.min(maxRetryMs, Math.max(minRetryMs, seconds * 1000));
  return { start: start!, end: end!, retryAfterMs };
}

/**
 * Returns an instant in the authority's window, or now if it has passed. @param present the planned instant. It stays
 * if it is within the window, so that repeated queries do not move it.
 */
export function suggestedRenewal(
  { start, end }: Suggestion,
  { present, expiresAt, random }: { present: Instant; expiresAt: Instant; random: number },
): Instant {
  if (present >= start && present <= end) return present;
  const latest = Math.min(end, expiresAt);
  const earliest = Math.min(start, latest);
  return Math.round(earliest + (latest - earliest) * random);
}
