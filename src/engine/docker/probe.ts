/** What is known about the readiness of one start of one container, and when it is worth asking again. */
import type { Readiness } from '../../deployment/workload.ts';
import { programOf } from '../check-words.ts';
import { attemptConnection, attemptRequest, type Reason } from './attempts.ts';
import type { RunCheck } from './command-check.ts';

export type ProbedReadiness = Extract<Readiness, { kind: 'http' | 'command' | 'port' }>;

export type Probe = {
  readonly isReady: boolean;
  /** Undefined when ready. */
  readonly because: Reason | undefined;
  /** Since when it has answered, and never as it should; undefined once it has, or while nobody answers. */
  readonly unhealthySinceMs: number | undefined;
  /** Milliseconds until it should be asked again: 0 when now, Infinity when it needs no more asking. */
  dueInMs(): number;
  /** Asks, or joins a question that is under way. Never rejects. */
  attempt(): Promise<void>;
  /** How long to wait between attempts until it is ready, the shortest and the longest pause. */
  readonly pausesMs: { shortest: number; longest: number };
};

/**
 * All times are of a clock that never jumps. A port that has once accepted a connection is ready for as long as this start of the container runs. A health check
 * is asked again every `periodSeconds`, and `failureThreshold` failures in a row make it unready.
 */
export function createProbe(
  readiness: ProbedReadiness,
  address: string,
  startedAtMs: number,
  uptime: () => number,
  runCheck: RunCheck,
): Probe {
  const firstAtMs = readiness.kind === 'port' ? startedAtMs : startedAtMs + readiness.initialDelaySeconds * 1000;
  const tolerance = readiness.kind === 'port' ? 1 : readiness.failureThreshold;
  let isReady = false;
  let wasReady = false;
  let because: Reason | undefined = firstReason(readiness);
  let unhealthySinceMs: number | undefined;
  let failures = 0;
  let askedAtMs = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    askedAtMs = uptime();
    const reason = await ask(readiness, address, runCheck);
    failures = reason ? failures + 1 : 0;
    if (!reason) isReady = wasReady = true;
    else if (failures >= tolerance) isReady = false;
    because = isReady ? undefined : reason;
    unhealthySinceMs = reason?.kind === 'unhealthy' && !wasReady ? (unhealthySinceMs ?? askedAtMs) : undefined;
  }

  return {
    get isReady() {
      return isReady;
    },
    get because() {
      return because;
    },
    get unhealthySinceMs() {
      return unhealthySinceMs;
    },
    dueInMs() {
      if (!isReady) return Math.max(0, firstAtMs - uptime());
      return readiness.kind === 'port' ? Infinity : Math.max(0, askedAtMs + readiness.periodSeconds * 1000 - uptime());
    },
    attempt() {
      running ??= run().finally(() => {
        running = undefined;
      });
      return running;
    },
    pausesMs: pausesMs[readiness.kind],
  };
}

/** A refused connection costs 0.1 ms; a request makes the application work; a command is a process more, for some 50 ms. */
const pausesMs = {
  port: { shortest: 5, longest: 50 },
  http: { shortest: 10, longest: 250 },
  command: { shortest: 100, longest: 2_000 },
};

function firstReason(readiness: ProbedReadiness): Reason {
  if (readiness.kind === 'port') return unasked(`port ${readiness.port} has not answered yet`);
  const { initialDelaySeconds } = readiness;
  const check = checkName(readiness);
  return initialDelaySeconds > 0
    ? unasked(`health check ${check} begins ${initialDelaySeconds} s after the start`)
    : unasked(`health check ${check} has not answered yet`);
}

function checkName(readiness: Exclude<ProbedReadiness, { kind: 'port' }>): string {
  return readiness.kind === 'http' ? readiness.path : `\`${programOf(readiness.command)}\``;
}

function unasked(words: string): Reason {
  return { kind: 'unreachable', words };
}

/** A path or port that no request can be made of is a reason like any other. */
async function ask(readiness: ProbedReadiness, address: string, runCheck: RunCheck): Promise<Reason | undefined> {
  if (readiness.kind === 'command') return await runCheck(readiness);
  try {
    return readiness.kind === 'port'
      ? await attemptConnection(address, readiness.port)
      : await attemptRequest(address, readiness);
  } catch {
    return readiness.kind === 'port'
      ? unasked(`port ${readiness.port} is not a port`)
      : unasked(`health check ${readiness.path} on port ${readiness.port} cannot be asked`);
  }
}
