/**
 * Whether the service answers: shown once for the whole page, and withdrawn automatically. Every request notes its
 * result here. While the service does not answer, it is requested repeatedly.
 */

export type Reach = 'reached' | 'slow' | 'lost' | 'offline' | 'back';

/** `edge`: in place of the service. `aborted`: the caller no longer needs the answer. */
export type AnsweredBy = 'service' | 'edge' | 'none' | 'aborted';

/** A request that takes so long is shown as slow. The service answers within milliseconds. */
const slowMs = 5_000;
const backShownMs = 3_000;
const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

let reach: Reach = 'reached';
let isProbing = false;
const waiting = new Set<symbol>();
const listeners = new Set<() => void>();

export function reachNow(): Reach {
  return reach;
}

export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tracks one request. Call the returned function when the request is over. */
export function trackRequest(): (by: AnsweredBy) => void {
  const question = Symbol('question');
  const timer = setTimeout(() => {
    waiting.add(question);
    if (reach === 'reached') show('slow');
  }, slowMs);
  return (by) => {
    clearTimeout(timer);
    waiting.delete(question);
    if (by === 'edge' || by === 'none') recordLoss(by);
    else if (by === 'service' && (reach === 'lost' || reach === 'offline')) recordReturn();
    else if (reach === 'slow' && waiting.size === 0) show('reached');
  };
}

/** A stream or a question has not found the service. */
export function recordLoss(by: 'edge' | 'none'): void {
  show(lostBy(by));
  void probe();
}

/** A browser takes itself for offline also where the service is on its own machine, or in a network of its own. */
function lostBy(by: 'edge' | 'none'): Reach {
  return by === 'none' && !navigator.onLine ? 'offline' : 'lost';
}

function recordReturn(): void {
  show('back');
  setTimeout(() => reach === 'back' && show('reached'), backShownMs);
}

/** Until the service answers, independent of the requests that failed. */
async function probe(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    await pauseOrOnline(pauseMs);
    if (reach !== 'lost' && reach !== 'offline') break;
    const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
    // The edge answers in the place of a service that is not there.
    const isThere = answer !== undefined && answer.status < 500;
    if (isThere && (reach === 'lost' || reach === 'offline')) recordReturn();
    if (isThere) break;
    show(lostBy(answer ? 'edge' : 'none'));
  }
  isProbing = false;
}

function pauseOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
  });
}

function show(next: Reach): void {
  if (next === reach) return;
  reach = next;
  for (const listener of listeners) listener();
}

window.addEventListener('offline', () => recordLoss('none'));
