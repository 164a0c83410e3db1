/**
 * Counts requests to applications by their target address. HAProxy's own counters combine all sites, and its log would
 * need a process that reads a line for each request. A part of HAProxy's configuration, and the parser of the counts.
 */
import { answerBoundsMs, type RequestCounts } from '../../deployment/metrics/use.ts';
import { yieldEvery } from '../../lib/yield-event-loop.ts';

export const underWayTable = 'under-way';

/** Positions of the counters in an entry. The others are those of `answerBoundsMs`. */
const places = { requests: 0, clientErrors: 1, serverErrors: 2, took: 3 } as const;
const counters = places.took + answerBoundsMs.length + 1;

/** The number of requests of each endpoint's address, under way and in total, tunnels included. */
export const requestTable = `backend ${underWayTable}
  stick-table type string len 15 size 100k expire 1h store conn_cur,gpc(${counters})
`;

/**
 * For a backend of applications, after its other response rules. A response that was counted within a bound skips the
 * other rules, so that most match only one (measured: below 1 µs of the edge's 20 µs per request, instead of 4).
 * HAProxy's own answers for a server that does not respond count as the server's. The only rules that see them cannot
 * count by an action, but by reading a value that increments.
 */
export const requestCounting = [
  `http-request track-sc2 var(txn.endpoint),field(1,:) table ${underWayTable}`,
  'http-request set-var(txn.began) date(0,ms)',
  'http-after-response set-var(txn.took) date(0,ms),sub(txn.began)',
  count(places.requests),
  count(places.clientErrors, '{ status 400:499 }'),
  count(places.serverErrors, '{ status 500:599 }'),
  ...answerBoundsMs.flatMap((bound, index) => {
    const isWithin = `{ var(txn.took) -m int le ${bound} }`;
    return [count(places.took + index, isWithin), `http-after-response allow if ${isWithin}`];
  }),
  count(places.took + answerBoundsMs.length),
].join('\n  ');

function count(place: number, condition?: string): string {
  return `http-after-response set-var(txn.counted) sc_inc_gpc(${place},2)${condition ? ` if ${condition}` : ''}`;
}

/** The number of lines that are parsed before yielding to the event loop, which takes some milliseconds. */
const linesAtOnce = 250;

/** Parses the output of `show table` into counts by address. Other lines are ignored. */
export async function parseCounts(answer: string): Promise<Map<string, RequestCounts>> {
  const found = new Map<string, RequestCounts>();
  const next = yieldEvery(linesAtOnce);
  for (const line of answer.split('\n')) {
    const wait = next();
    if (wait) await wait;
    const [, address, fields] = /^0x[0-9a-f]+: key=(\S+) (.*)$/.exec(line) ?? [];
    if (address === undefined || fields === undefined) continue;
    const values = new Array<number>(counters).fill(0);
    for (const [, place, value] of fields.matchAll(/(?:^| )gpc(\d+)=(\d+)/g)) values[Number(place)] = Number(value);
    const [requests = 0, clientErrors = 0, serverErrors = 0] = values;
    found.set(address, { requests, clientErrors, serverErrors, tookWithin: values.slice(places.took, counters) });
  }
  return found;
}
