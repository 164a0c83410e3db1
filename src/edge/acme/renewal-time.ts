/** When a certificate is renewed. Pure. */
import type { Instant } from '../../deployment/deployment.ts';

/** Of the remaining lifetime at the time of issue. */
const share = 2 / 3;
/** Certificates that were issued together are renewed apart: by a twentieth of their lives. */
const jitter = 1 / 20;

/**
 * By what is left, and not by its first day: with a clock that is ahead of the authority's, a certificate that is new
 * would be due at once, and the next one too.
 * @param random from 0 to 1.
 */
export function renewalAt({ now, expiresAt, random }: { now: Instant; expiresAt: Instant; random: number }): Instant {
  const leftMs = Math.max(0, expiresAt - now);
  return Math.round(now + leftMs * (share - jitter * random));
}

/** The authority's own wish (RFC 9773). */
export type Suggestion = { start: Instant; end: Instant; askAgainMs: number };

const longestAskMs = 24 * 3_600_000;
const shortestAskMs = 3_600_000;

/** The suggestion in an answer of `renewalInfo`, or undefined if it is unusable. */
export function readSuggestion(body: unknown, retryAfter: unknown): Suggestion | undefined {
  const { suggestedWindow: window } = (body ?? {}) as { suggestedWindow?: { start?: unknown; end?: unknown } };
  const [start, end] = [window?.start, window?.end].map((text) => Date.parse(String(text)));
  if (!Number.isFinite(start) || !Number.isFinite(end) || end! < start!) return undefined;
  const seconds = /^\d{1,9}$/.test(String(retryAfter)) ? Number(retryAfter) : 6 * 3600;
  const askAgainMs = Math.min(longestAskMs, Math.max(shortestAskMs, seconds * 1000));
  return { start: start!, end: end!, askAgainMs };
}

/**
 * An instant of the authority's window; now if it has passed.
 * @param present the planned instant. It stays if it is within the window, so that repeated queries do not move it.
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
