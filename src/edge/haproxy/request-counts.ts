/**
 * What is counted of requests to applications, by the address that they go to: HAProxy's own numbers have all sites as
 * one, and its log would be a line for a process to read for each request. A part of its configuration, and what comes
 * back of it.
 */
import { answerBoundsMs, type RequestCounts } from '../../deployment/metrics/use.ts';
import { turnEvery } from '../../lib/turns.ts';

export const underWayTable = 'under-way';

/** Places of the counters in an entry; the rest are those of `answerBoundsMs`. */
const places = { requests: 0, clientErrors: 1, serverErrors: 2, took: 3 } as const;
const counters = places.took + answerBoundsMs.length + 1;

/** How many requests, tunnels included, each endpoint's address has under way, and how many it has had. */
export const requestTable = `backend ${underWayTable}
  stick-table type string len 15 size 100k expire 1h store conn_cur,gpc(${counters})
`;

/**
 * Of a backend of applications, as the last of its rules for answers: whoever is counted within a bound passes the
 * others by, so that most answers meet one of them (measured: if each met all, 4 µs of the edge's 20 a request; so,
 * less than 1). What HAProxy says itself of a server that does not answer counts as the server's answer: the only rules
 * that see it have no action that counts, but a value that does when it is read.
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

/** Lines that are read without letting anybody else in between: some milliseconds. */
const linesAtOnce = 250;

/** By address, of the answer to `show table`; lines that say something else are none. */
export async function parseCounts(answer: string): Promise<Map<string, RequestCounts>> {
  const found = new Map<string, RequestCounts>();
  const next = turnEvery(linesAtOnce);
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
