/** Renewal information (RFC 9773), which Debian's pebble does not have yet. */
import type { Pebble } from './pebble.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

export type RenewalInfo = StandIn & {
  /** The window that is suggested from now on, for any certificate. */
  suggest(start: number, end: number): void;
  /** The certificates in requests, by their names in RFC 9773, one for each request. */
  asked: string[];
  /** The certificate that each order replaces; undefined for a first one. */
  replaced: (string | undefined)[];
};

const place = '/renewal-info';

export async function startRenewalInfo(pebble: Pebble): Promise<RenewalInfo> {
  const window = { start: 0, end: 0 };
  const [asked, replaced]: [string[], (string | undefined)[]] = [[], []];
  const standIn = await startStandIn(pebble, {
    answer({ path, payload }, response) {
      if (path === '/order-plz') replaced.push((payload as { replaces?: string }).replaces);
      if (!path.startsWith(`${place}/`)) return false;
      asked.push(path.slice(place.length + 1));
      const [start, end] = [window.start, window.end].map((at) => new Date(at).toISOString());
      response.writeHead(200, { 'Content-Type': 'application/json', 'Retry-After': '3600' });
      response.end(JSON.stringify({ suggestedWindow: { start, end } }));
      return true;
    },
    change: ({ origin }, said) => ('newOrder' in said ? { ...said, renewalInfo: `${origin}${place}` } : undefined),
  });
  return { ...standIn, suggest: (start, end) => void Object.assign(window, { start, end }), asked, replaced };
}
