/** What is known about the readiness of one start of one container, and when it is worth asking again. */
import type { Readiness } from '../../deployment/workload.ts';
import { attemptConnection, attemptRequest, type Reason } from './attempts.ts';

export type ProbedReadiness = Extract<Readiness, { kind: 'http' | 'port' }>;

export type Probe = {
  readonly isReady: boolean;
  /** In words; empty when ready. */
  readonly because: string;
  /** Milliseconds until it should be asked again: 0 when now, Infinity when it needs no more asking. */
  dueInMs(): number;
  /** Asks, or joins a question that is under way. Never rejects. */
  attempt(): Promise<void>;
  /** How long to wait between attempts until it is ready, the shortest and the longest pause. */
  readonly pausesMs: { shortest: number; longest: number };
};

/**
 * A port that has once accepted a connection is ready for as long as this start of the container runs. A health check
 * is asked again every `periodSeconds`, and `failureThreshold` failures in a row make it unready.
 */
export function createProbe(
  readiness: ProbedReadiness,
  address: string,
  startedAtMs: number,
  now: () => number,
): Probe {
  const firstAtMs = readiness.kind === 'http' ? startedAtMs + readiness.initialDelaySeconds * 1000 : startedAtMs;
  const tolerance = readiness.kind === 'http' ? readiness.failureThreshold : 1;
  let isReady = false;
  let because = firstWords(readiness);
  let failures = 0;
  let askedAtMs = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    askedAtMs = now();
    const reason = await ask(readiness, address);
    failures = reason === undefined ? 0 : failures + 1;
    if (reason === undefined) isReady = true;
    else if (failures >= tolerance) isReady = false;
    because = isReady ? '' : (reason ?? '');
  }

  return {
    get isReady() {
      return isReady;
    },
    get because() {
      return because;
    },
    dueInMs() {
      if (!isReady) return Math.max(0, firstAtMs - now());
      return readiness.kind === 'http' ? Math.max(0, askedAtMs + readiness.periodSeconds * 1000 - now()) : Infinity;
    },
    attempt() {
      running ??= run().finally(() => {
        running = undefined;
      });
      return running;
    },
    // A refused connection costs 0.1 ms; a request makes the application work.
    pausesMs: readiness.kind === 'http' ? { shortest: 10, longest: 250 } : { shortest: 5, longest: 50 },
  };
}

function firstWords(readiness: ProbedReadiness): string {
  if (readiness.kind === 'port') return `port ${readiness.port} has not answered yet`;
  const { path, initialDelaySeconds } = readiness;
  return initialDelaySeconds > 0
    ? `health check ${path} begins ${initialDelaySeconds} s after the start`
    : `health check ${path} has not answered yet`;
}

/** A path or port that no request can be made of is a reason like any other. */
async function ask(readiness: ProbedReadiness, address: string): Promise<Reason> {
  try {
    return readiness.kind === 'port'
      ? await attemptConnection(address, readiness.port)
      : await attemptRequest(address, readiness.port, readiness.path, readiness.timeoutSeconds * 1000);
  } catch {
    return readiness.kind === 'port'
      ? `port ${readiness.port} is not a port`
      : `health check ${readiness.path} on port ${readiness.port} cannot be asked`;
  }
}
