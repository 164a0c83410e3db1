/** Requests of the page to the service that it came from, by the service's client. */
import { type Answer, ask as askService, type Question } from '../../../src/client/ask.ts';
import { type Client, createClient } from '../../../src/client/client.ts';

export type { Answer, Problem } from '../../../src/client/ask.ts';

const service = createClient();
const underWay = new Set<Promise<unknown>>();

/** Resolves when no question waits for its answer, those included that an answer leads to. */
export async function allAnswered(): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

/** An operation that the service describes. */
export const call: Client['call'] = (id, ...given) => counted(service.call(id, ...given));

/** The response itself, for bodies that are read as they come. */
export const open: Client['open'] = service.open;

/** What signing in asks: its library's, which the service does not describe. */
export function ask<T>(path: string, question: Question = {}): Promise<Answer<T>> {
  return counted(askService<T>({}, path, question));
}

function counted<T>(answer: Promise<T>): Promise<T> {
  const counting = answer.finally(() => underWay.delete(counting));
  underWay.add(counting);
  return counting;
}
