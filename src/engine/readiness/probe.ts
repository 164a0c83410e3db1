/** What is known about the readiness of one start of one container, and when it is worth asking again. */
import type { CommandCheck } from '../../config/spec/spec.ts';
import type { Readiness } from '../../deployment/workload/workload.ts';
import { programOf } from '../check-words.ts';
import { attemptConnection, attemptRequest, type Reason } from './attempts.ts';

/** Runs the command of a check in its container, once; resolves with nothing when it ended with 0. Never rejects. */
export type RunCheck = (check: CommandCheck) => Promise<Reason | undefined>;

export type ProbedReadiness = Extract<Readiness, { kind: 'http' | 'command' | 'port' }>;

export type Probe = {
  readonly kind: ProbedReadiness['kind'];
  readonly isReady: boolean;
  /** It has been ready since this start of the container. */
  readonly wasReady: boolean;
  /** It is being asked. */
  readonly isAsked: boolean;
  /** When it was last answered. */
  readonly answeredAtMs: number;
  /** Undefined when ready. */
  readonly because: Reason | undefined;
  /** Since when it has answered, and never as it should; undefined once it has, or while nobody answers. */
  readonly unhealthySinceMs: number | undefined;
  /** Milliseconds until it should be asked again: 0 when now. */
  dueInMs(): number;
  /** Asks, or joins a question that is under way. Never rejects. */
  attempt(): Promise<void>;
  /** How long to wait between attempts until it is ready, the shortest and the longest pause. */
  readonly pausesMs: { shortest: number; longest: number };
};

export type ProbeOptions = {
  readiness: ProbedReadiness;
  address: string;
  startedAtMs: number;
  /** A clock that never jumps. */
  uptime: () => number;
  runCheck: RunCheck;
  /** Whether somebody is seen to listen on the port; false where that cannot be seen. */
  listens: (port: number) => Promise<boolean>;
  /** Once it has been ready, so much time is between two questions at least. */
  leastPeriodMs: number;
};

/** Who stops listening and runs on is rare, and to look for it costs 2 to 5 ms of a processor (measured). */
const portPeriods = 3;
const portThreshold = 2;

/**
 * Until it is ready for the first time it is asked as often as somebody waits for it; from then on every `periodSeconds`,
 * and `failureThreshold` failures in a row make it unready. A port is asked again too, without a connection where the
 * kernel tells: databases count those that say nothing, and write about each of them.
 */
export function createProbe(options: ProbeOptions): Probe {
  const { readiness, startedAtMs, uptime, leastPeriodMs } = options;
  const isPort = readiness.kind === 'port';
  const firstAtMs = isPort ? startedAtMs : startedAtMs + readiness.initialDelaySeconds * 1000;
  const periodMs = isPort ? portPeriods * leastPeriodMs : Math.max(leastPeriodMs, readiness.periodSeconds * 1000);
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
    const reason = await ask(options, wasReady);
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
    get isAsked() {
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

/**
 * Whether the way to the address works that the edge takes. Nobody listens there, and the refusal is the answer of its
 * network: the application is not asked.
 */
async function isReachable(address: string): Promise<boolean> {
  const reason = await attemptConnection(address, refusedPort);
  return reason === undefined || reason.kind === 'refused';
}

/** As good as never listened on; an application that does hears of a connection without a word. */
const refusedPort = 1;

/** A path or port that no request can be made of is a reason like any other. */
async function ask(
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
      ? unasked(`port ${readiness.port} is not a port`)
      : unasked(`health check ${readiness.path} on port ${readiness.port} cannot be checked`);
  }
}
