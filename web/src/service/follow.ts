/** Follows a stream of the service: reconnects when the connection breaks, and pauses while the page is hidden. */

import { type Message, messagesOf } from '../../../src/client/follow.ts';
import { problemOf } from '../../../src/client/request.ts';
import { recordLoss } from './connection.ts';
import { type Answer, answeredBy, type Problem } from './request.ts';

const firstPauseMs = 500;
const longestPauseMs = 15_000;

export type Connection = 'connecting' | 'open' | 'broken' | 'ended';

export type Follower = {
  /** Opens the stream at the position of the last one. */
  open: (signal: AbortSignal) => Promise<Answer<Response>>;
  /** The messages that arrived together. */
  onMessages: (messages: Message[]) => void;
  onConnection: (connection: Connection) => void;
  /** The service has refused, so reconnecting is useless. */
  onRefusal: (problem: Problem) => void;
  /** Whether a stream that has ended is at its end. */
  isOver: () => boolean;
};

/** @returns what stops it. */
export function follow(follower: Follower): () => void {
  const stop = new AbortController();
  void run(follower, stop.signal);
  return () => stop.abort();
}

async function run(follower: Follower, stop: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!stop.aborted) {
    await untilVisible(stop);
    if (stop.aborted) return;
    follower.onConnection('connecting');
    const outcome = await readOnce(follower, stop);
    if (stop.aborted) return;
    if (outcome === 'refused' || follower.isOver()) return follower.onConnection('ended');
    if (outcome === 'rested') continue;
    follower.onConnection('broken');
    pauseMs = outcome === 'read' ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
    await pause(pauseMs, stop);
  }
}

/** Reads one connection until it ends, breaks, or the page is hidden. */
async function readOnce(follower: Follower, stop: AbortSignal): Promise<'read' | 'failed' | 'refused' | 'rested'> {
  const rest = new AbortController();
  const putAway = () => document.hidden && rest.abort();
  document.addEventListener('visibilitychange', putAway);
  const signal = AbortSignal.any([stop, rest.signal]);
  let hasRead = false;
  try {
    const answer = await follower.open(signal);
    if (rest.signal.aborted) return 'rested';
    if (!answer.ok) recordLoss('none');
    if (!answer.ok || !answer.value.body) return 'failed';
    const { status, body } = answer.value;
    if (status >= 400) {
      const problem = problemOf(answer.value, await answer.value.json().catch(() => undefined));
      const isPassing = status === 429 || status >= 500;
      if (!isPassing) follower.onRefusal(problem);
      else if (answeredBy(problem) === 'edge') recordLoss('edge');
      return isPassing ? 'failed' : 'refused';
    }
    follower.onConnection('open');
    for await (const messages of messagesOf(body)) {
      if (messages.length > 0) follower.onMessages(messages);
      hasRead = true;
    }
  } catch {
    // The connection broke, or was closed from here.
  } finally {
    document.removeEventListener('visibilitychange', putAway);
  }
  if (rest.signal.aborted) return 'rested';
  return hasRead ? 'read' : 'failed';
}

/** Resolves when the page is visible, or `stop` is aborted. */
export function untilVisible(stop: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !stop.aborted) return;
      document.removeEventListener('visibilitychange', done);
      stop.removeEventListener('abort', done);
      resolve();
    };
    document.addEventListener('visibilitychange', done);
    stop.addEventListener('abort', done);
  });
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
