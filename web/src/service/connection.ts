/**
 * The reachability of the service: shown once for the whole page, and withdrawn automatically. Every request reports
 * its result here. While the service does not respond, it is polled.
 */

export type Reach = 'reached' | 'slow' | 'lost' | 'offline' | 'back';

/** `edge`: the edge responded instead of the service. `aborted`: the caller no longer needs the response. */
export type AnsweredBy = 'service' | 'edge' | 'none' | 'aborted';

/** A longer request is shown as slow. The service usually responds within milliseconds. */
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

/** A browser may report that it is offline although the service runs on the same machine or in a separate network. */
function lostBy(by: 'edge' | 'none'): Reach {
  return by === 'none' && !navigator.onLine ? 'offline' : 'lost';
}

function recordReturn(): void {
  show('back');
  setTimeout(() => reach === 'back' && show('reached'), backShownMs);
}

/** Polls until the service responds, independent of the failed requests. */
async function probe(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    await pauseOrOnline(pauseMs);
    if (reach !== 'lost' && reach !== 'offline') break;
    const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
    // The edge responds if the service is not running.
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
