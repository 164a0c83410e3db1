/** Rate limits of registries (Docker Hub: 100 pulls in six hours for an address). */
import type { IncomingHttpHeaders } from 'node:http';

/** The maximum pause that a registry can require. */
const longestMs = 6 * 3_600_000;

/** Returns the time to wait after a refusal (RFC 9110: seconds or an instant). Undefined if the header is missing. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(ms, longestMs) : undefined;
}

/** `76;w=21600` → 76; undefined when it does not say. */
export function pullsLeft(headers: IncomingHttpHeaders): number | undefined {
  const left = /^(\d{1,9})(?:;|$)/.exec(String(headers['ratelimit-remaining'] ?? ''))?.[1];
  return left === undefined ? undefined : Number(left);
}

export type RateLimits = {
  /** Returns the remaining time during which the registry must not be queried. 0 if it may be. */
  waitMs(what: string): number;
  /** Blocks requests for this long. */
  leaveAlone(what: string, ms: number): void;
};

/** `uptime`: milliseconds since some instant; never jumps. */
export function createRateLimits(uptime: () => number = () => performance.now()): RateLimits {
  const until = new Map<string, number>();
  return {
    waitMs: (what) => Math.max(0, (until.get(what) ?? 0) - uptime()),
    leaveAlone(what, ms) {
      // Tenants choose registries, so expired entries are removed. Otherwise, the list would grow forever.
      for (const [known, end] of until) if (end <= uptime()) until.delete(known);
      until.set(what, uptime() + ms);
    },
  };
}
