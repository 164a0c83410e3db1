/** Requests of the page to the service that it came from, by the service's client. */

import { type Client, createClient } from '../../../src/client/client.ts';
import { type Answer, request as askService, type Problem, type RequestOptions } from '../../../src/client/request.ts';
import { type AnsweredBy, trackRequest } from './connection.ts';
import { withOwnHint } from './own-hints.ts';

export type { Answer, Problem } from '../../../src/client/request.ts';

const service = createClient();
const underWay = new Set<Promise<unknown>>();

/** Resolves when all requests were answered, including follow-up requests. */
export async function allAnswered(): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

/** An operation that the service describes. */
export const call: Client['call'] = (id, ...given) => tracked(service.call(id, ...given));

/** The response itself, for bodies that are read as they come. */
export const open: Client['open'] = service.open;

/** Requests of the sign-in library, which the service does not describe. */
export function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  return tracked(askService<T>({}, path, options));
}

/** Notes for the whole page whether the service answers. An aborted request is not counted. */
function tracked<T>(answer: Promise<Answer<T>>): Promise<Answer<T>> {
  const note = trackRequest();
  void answer.then((given) => note(given.ok ? 'service' : answeredBy(given.problem)));
  return counted(answer.then((given) => (given.ok ? given : { ok: false, problem: withOwnHint(given.problem) })));
}

/** Codes that the edge returns if the service is down. Proxies before the edge do not use our codes. */
const codesOfEdge: readonly string[] = ['service_unavailable', 'edge_silent'];

export function answeredBy({ status, code }: Problem): AnsweredBy {
  if (code === 'aborted') return 'aborted';
  if (code === 'unreachable') return 'none';
  const isOfAnother = code === 'unknown' && status >= 502 && status <= 504;
  return isOfAnother || codesOfEdge.includes(code) ? 'edge' : 'service';
}

function counted<T>(answer: Promise<T>): Promise<T> {
  const counting = answer.finally(() => underWay.delete(counting));
  underWay.add(counting);
  return counting;
}
