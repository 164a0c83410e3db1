/**
 * What is counted of requests to applications, by the address that they go to: HAProxy's own numbers have all sites as
 * one, and its log would be a line for a process to read for each request. A part of its configuration, and what comes
 * back of it. Pure.
 */
import { answerBoundsMs, type RequestCounts } from '../../deployment/metrics/use.ts';

export const underWayTable = 'under-way';

/** Places of the counters in an entry; the rest are those of `answerBoundsMs`. */
const places = { requests: 0, clientErrors: 1, serverErrors: 2, took: 3 } as const;
const counters = places.took + answerBoundsMs.length + 1;

/** How many requests, tunnels included, each endpoint's address has under way, and how many it has had. */
export const requestTable = `backend ${underWayTable}
  stick-table type string len 15 size 100k expire 1h store conn_cur,gpc(${counters})
`;

/**
 * Of a backend of applications. What HAProxy says itself of a server that does not answer counts as the server's answer:
 * the only rules that see it have no action that counts, but a value that does when it is read.
 */
export const requestCounting = [
  `http-request track-sc2 var(txn.endpoint),field(1,:) table ${underWayTable}`,
  'http-request set-var(txn.asked) date(0,ms)',
  'http-after-response set-var(txn.took) date(0,ms),sub(txn.asked)',
  count(places.requests),
  count(places.clientErrors, '{ status 400:499 }'),
  count(places.serverErrors, '{ status 500:599 }'),
  ...answerBoundsMs.map((bound, index) =>
    count(places.took + index, within(index === 0 ? undefined : answerBoundsMs[index - 1]!, bound)),
  ),
  count(places.took + answerBoundsMs.length, `{ var(txn.took) -m int gt ${answerBoundsMs.at(-1)} }`),
].join('\n  ');

function count(place: number, condition?: string): string {
  return `http-after-response set-var(txn.counted) sc_inc_gpc(${place},2)${condition ? ` if ${condition}` : ''}`;
}

function within(above: number | undefined, bound: number): string {
  const from = above === undefined ? '' : `{ var(txn.took) -m int gt ${above} } `;
  return `${from}{ var(txn.took) -m int le ${bound} }`;
}

/** By address, of the answer to `show table`; lines that say something else are none. */
export function parseCounts(answer: string): Map<string, RequestCounts> {
  const found = new Map<string, RequestCounts>();
  for (const line of answer.split('\n')) {
    const [, address, fields] = /^0x[0-9a-f]+: key=(\S+) (.*)$/.exec(line) ?? [];
    if (address === undefined || fields === undefined) continue;
    const values = new Array<number>(counters).fill(0);
    for (const [, place, value] of fields.matchAll(/(?:^| )gpc(\d+)=(\d+)/g)) values[Number(place)] = Number(value);
    const [requests = 0, clientErrors = 0, serverErrors = 0] = values;
    found.set(address, { requests, clientErrors, serverErrors, tookWithin: values.slice(places.took, counters) });
  }
  return found;
}
