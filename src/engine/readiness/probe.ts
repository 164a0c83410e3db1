/** A readiness probe of one start of one container, and when its next attempt is due. */
import type { CommandCheck } from '../../config/spec/spec.ts';
import type { Readiness } from '../../deployment/workload/workload.ts';
import { programOf } from '../check-message.ts';
import { attemptConnection, attemptRequest, type Reason } from './attempts.ts';

/** Runs a check command once in its container. Resolves to undefined after an exit with 0. Never rejects. */
export type RunCheck = (check: CommandCheck) => Promise<Reason | undefined>;

export type ProbedReadiness = Extract<Readiness, { kind: 'http' | 'command' | 'port' }>;

export type Probe = {
  readonly kind: ProbedReadiness['kind'];
  readonly isReady: boolean;
  /** Whether it has been ready since this start of the container. */
  readonly wasReady: boolean;
  /** Whether an attempt is running. */
  readonly isRunning: boolean;
  /** The end of the last attempt. */
  readonly answeredAtMs: number;
  /** Undefined if it is ready. */
  readonly because: Reason | undefined;
  /** Since when all responses have been bad; undefined after a good response, or without responses. */
  readonly unhealthySinceMs: number | undefined;
  /** Returns the milliseconds until the next attempt; 0: now. */
  dueInMs(): number;
  /** Starts an attempt, or joins the running one. Never rejects. */
  attempt(): Promise<void>;
  /** The shortest and the longest pause between attempts until it is ready. */
  readonly pausesMs: { shortest: number; longest: number };
};

export type ProbeOptions = {
  readiness: ProbedReadiness;
  address: string;
  startedAtMs: number;
  /** Milliseconds; never jumps. */
  uptime: () => number;
  runCheck: RunCheck;
  /** Returns whether a socket listens on the port; false if the sockets cannot be read. */
  listens: (port: number) => Promise<boolean>;
  /** The minimum time between two attempts after it was ready. */
  minPeriodMs: number;
};

/**
 * Ports are checked less often: a running server rarely stops listening, and a check takes 2 to 5 ms of a processor
 * (measured).
 */
const portPeriods = 3;
const portThreshold = 2;

/**
 * Creates a probe. Until it is first ready, callers attempt it as often as they wait. After that, it is due every
 * `periodSeconds`, and `failureThreshold` consecutive failures make it unready. A port that was ready is checked
 * without a connection if the kernel shows its sockets, because databases count and log connections without data.
 */
export function createProbe(options: ProbeOptions): Probe {
  const { readiness, startedAtMs, uptime, minPeriodMs } = options;
  const isPort = readiness.kind === 'port';
  const firstAtMs = isPort ? startedAtMs : startedAtMs + readiness.initialDelaySeconds * 1000;
  const periodMs = isPort ? portPeriods * minPeriodMs : Math.max(minPeriodMs, readiness.periodSeconds * 1000);
  const tolerance = isPort ? portThreshold : readiness.failureThreshold;
  let isReady = false;
  let wasReady = false;
  let because: Reason | undefined = firstReason(readiness);
  let unhealthySinceMs: number | undefined;
  let failures = 0;
  let answeredAtMs = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const askedAtMs = uptime();
    const reason = await runCheck(options, wasReady);
    answeredAtMs = uptime();
    failures = reason ? failures + 1 : 0;
    if (!reason) isReady = wasReady = true;
    else if (failures >= tolerance) isReady = false;
    because = isReady ? undefined : reason;
    unhealthySinceMs = reason?.kind === 'unhealthy' && !wasReady ? (unhealthySinceMs ?? askedAtMs) : undefined;
  }

  return {
    kind: readiness.kind,
    get isReady() {
      return isReady;
    },
    get wasReady() {
      return wasReady;
    },
    get isRunning() {
      return running !== undefined;
    },
    get answeredAtMs() {
      return answeredAtMs;
    },
    get because() {
      return because;
    },
    get unhealthySinceMs() {
      return unhealthySinceMs;
    },
    dueInMs: () => Math.max(0, (wasReady ? answeredAtMs + periodMs : firstAtMs) - uptime()),
    attempt() {
      running ??= run().finally(() => {
        running = undefined;
      });
      return running;
    },
    pausesMs: pausesMs[readiness.kind],
  };
}

/**
 * A refused connection takes 0.1 ms. A request makes the application work. A command starts a process, for some 50 ms.
 */
const pausesMs = {
  port: { shortest: 5, longest: 50 },
  http: { shortest: 10, longest: 250 },
  command: { shortest: 100, longest: 2_000 },
};

function firstReason(readiness: ProbedReadiness): Reason {
  if (readiness.kind === 'port') return initialProbe(`port ${readiness.port} has not answered yet`);
  const { initialDelaySeconds } = readiness;
  const check = checkName(readiness);
  return initialDelaySeconds > 0
    ? initialProbe(`health check ${check} begins ${initialDelaySeconds} s after the start`)
    : initialProbe(`health check ${check} has not answered yet`);
}

function checkName(readiness: Exclude<ProbedReadiness, { kind: 'port' }>): string {
  return readiness.kind === 'http' ? readiness.path : `\`${programOf(readiness.command)}\``;
}

function initialProbe(words: string): Reason {
  return { kind: 'unreachable', words };
}

/**
 * Returns whether the edge's path to the address works. It connects to a port without a listener: the network's refusal
 * shows that the path works, and the application sees nothing.
 */
async function isReachable(address: string): Promise<boolean> {
  const reason = await attemptConnection(address, refusedPort);
  return reason === undefined || reason.kind === 'refused';
}

/** Applications practically never listen on this port. */
const refusedPort = 1;

/** An invalid path or port is a reason too. */
async function runCheck(
  { readiness, address, runCheck, listens }: ProbeOptions,
  wasReady: boolean,
): Promise<Reason | undefined> {
  if (readiness.kind === 'command') return await runCheck(readiness);
  try {
    if (readiness.kind === 'http') return await attemptRequest(address, readiness);
    const isSeen = wasReady && (await listens(readiness.port)) && (await isReachable(address));
    return isSeen ? undefined : await attemptConnection(address, readiness.port);
  } catch {
    return readiness.kind === 'port'
      ? initialProbe(`port ${readiness.port} is not a port`)
      : initialProbe(`health check ${readiness.path} on port ${readiness.port} cannot be checked`);
  }
}
