/** Reads the existing and new lines of a deployment's workloads, with times and names and without secrets. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { desiredAt } from '../../deployment/desired.ts';
import { noEgress } from '../../deployment/workload/egress.ts';
import { redacted, redactorOf } from '../../deployment/workload/redact.ts';
import type { ObservedWorkload, WorkloadName } from '../../deployment/workload/workload.ts';
import { EngineFault, type LogLine, type LogMark, type OutputStream, type WrittenText } from '../../engine/engine.ts';
import { deploymentById } from '../../store/deployments.ts';
import { findStoredRevision } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import type { Service } from '../api-service.ts';
import { isChosen, type LogChoice, replacedAmong } from './log-choice.ts';

/** How often a follower checks whether the deployment has been removed. It queries the engine at most this often. */
const lookEveryMs = 1_000;
const shortestPauseMs = 200;

/** The engine reports its starts. If a report is lost, a follower notices the start after this time. */
const observeEveryMs = 5_000;

export type LogRequest = LogChoice & {
  tail: number;
  since: Instant | undefined;
  until: Instant | undefined;
  isPrevious: boolean;
  /** Ignores case. */
  search: string | undefined;
  /** Undefined: both. */
  stream: OutputStream | undefined;
};

/** `pod`: its name; further replicas have their number. */
export type PodLine = WrittenText & { at: Instant; pod: string; revision: number };

/** The position of the reader in each workload. */
export type LogMarks = Map<WorkloadName, LogMark>;

/** Interleaved by time, with the marks to follow them from. `signal`: the client has gone. */
export async function lastLines(
  service: Service,
  deployment: Deployment,
  observed: readonly ObservedWorkload[],
  requested: LogRequest,
  signal: AbortSignal,
): Promise<{ lines: PodLine[]; marks: LogMarks }> {
  const { tail, since, until, isPrevious } = requested;
  const chosen = observed.filter((workload) => isChosen(requested, workload));
  const replaced = replacedAmong(chosen);
  const marks: LogMarks = new Map();
  const redactorFor = openRedactors(service);
  const perWorkload = await Promise.all(
    chosen.map(async (workload) => {
      const redact = await redactorFor(deployment, workload);
      // An update has replaced it just now.
      if (!redact) return [];
      const lines = await service.engine.logs(workload.name, {
        // Without any lines, the position for new lines is unknown.
        tail: Math.max(1, tail),
        isPrevious: isPrevious && !replaced.includes(workload),
        since,
        until,
        matches: matcherOf(requested, redact),
        signal,
      });
      const last = lines.at(-1);
      if (last) marks.set(workload.name, last.mark);
      return lines.slice(Math.max(0, lines.length - tail)).map(printedFor(workload, redact));
    }),
  );
  return { lines: perWorkload.flat().toSorted((a, b) => a.at - b.at), marks };
}

/**
 * Follows all selected workloads from their marks, including ones that start later, through restarts of containers and
 * of the engine. Ends when the deployment is removed or the signal aborts.
 */
export async function followLines(
  service: Service,
  deploymentId: string,
  { query, marks }: { query: Pick<LogRequest, keyof LogChoice | 'since' | 'stream'>; marks: LogMarks },
  write: (line: PodLine) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const { engine, db } = service;
  const { since, stream } = query;
  const failed = new AbortController();
  const until = AbortSignal.any([stop, failed.signal]);
  const followed = new Map<WorkloadName, Promise<void>>();
  const ended = new Set<WorkloadName>();
  const redactorFor = openRedactors(service);
  const hints = listen(engine, deploymentId, until);
  let observedAtMs = Number.NEGATIVE_INFINITY;

  async function followOne(deployment: Deployment, workload: ObservedWorkload): Promise<void> {
    const { name } = workload;
    try {
      const redact = await redactorFor(deployment, workload);
      if (!redact) return;
      const print = printedFor(workload, redact);
      for await (const line of engine.followLogs(name, { since, after: marks.get(name) }, until)) {
        marks.set(name, line.mark);
        if (stream === undefined || line.stream === stream) await write(print(line));
      }
      ended.add(name);
    } catch (error) {
      if (until.aborted) return;
      // The engine is unavailable. The next attempt continues from the mark.
      if (error instanceof EngineFault) observedAtMs = Number.NEGATIVE_INFINITY;
      else failed.abort(error);
    } finally {
      followed.delete(name);
    }
  }

  async function look(deployment: Deployment, isHinted: boolean): Promise<void> {
    const observed = await engine.observe(deploymentId, []).catch((error: unknown) => {
      if (error instanceof EngineFault) return undefined;
      throw error;
    });
    if (!observed) return;
    observedAtMs = performance.now();
    for (const workload of observed.workloads) {
      const { name, phase } = workload;
      // An ended workload writes nothing more unless the engine has reported a change.
      const mayWrite = phase === 'running' || isHinted || !ended.has(name);
      if (mayWrite && isChosen(query, workload) && !followed.has(name))
        followed.set(name, followOne(deployment, workload));
    }
  }

  while (!until.aborted) {
    const deployment = await deploymentById(db, deploymentId);
    if (!deployment || deployment.goneAt !== null || deployment.keptAt !== null) break;
    const isHinted = hints.take();
    if (isHinted || performance.now() - observedAtMs >= observeEveryMs) await look(deployment, isHinted);
    await delay(shortestPauseMs, undefined, { signal: until }).catch(() => {});
    await hints.next(lookEveryMs - shortestPauseMs);
  }
  await Promise.all(followed.values());
  if (failed.signal.aborted) throw failed.signal.reason;
}

/** Returns whether the engine has reported a change since the last call. */
function listen(engine: Service['engine'], deploymentId: string, until: AbortSignal) {
  let isReported = true;
  let wake = () => {};
  const notify = () => {
    isReported = true;
    wake();
  };
  engine.watch((id) => id === deploymentId && notify(), until);
  until.addEventListener('abort', () => wake(), { once: true });
  return {
    take() {
      const reported = isReported;
      isReported = false;
      return reported;
    },
    /** Resolves at the next one, after `ms`, or at the abort. */
    async next(ms: number): Promise<void> {
      if (isReported || until.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      wake = resolve;
      await promise;
      clearTimeout(timer);
    },
  };
}

function printedFor(workload: ObservedWorkload, redact: Redact) {
  const { pod, replica, revision } = workload;
  const label = replica === 0 ? pod : `${pod}-${replica}`;
  return ({ at, text, stream }: LogLine): PodLine => ({
    at,
    pod: label,
    revision,
    text: redact(text),
    ...(stream && { stream }),
  });
}

function matcherOf({ search, stream }: LogRequest, redact: Redact): ((line: WrittenText) => boolean) | undefined {
  if (search === undefined && stream === undefined) return undefined;
  const finds = search === undefined ? () => true : findsIn(search, redact);
  return (line) => (stream === undefined || line.stream === stream) && finds(line.text);
}

/**
 * Searches the redacted text, so that a search cannot reveal secrets. Redacting is the most expensive part, so the
 * plain line is tested first.
 */
function findsIn(search: string, redact: Redact): (text: string) => boolean {
  const wanted = search.toLowerCase();
  const parts = wanted.split(redacted);
  return (text) => {
    const lower = text.toLowerCase();
    return parts.every((part) => lower.includes(part)) && redact(text).toLowerCase().includes(wanted);
  };
}

type Redact = (text: string) => string;

/** An update has two. A long stream may see any number. */
const maxRedactors = 4;

/** Reads each revision once. A large one has up to 60 workloads and takes about 50 ms, which blocks other requests. */
function openRedactors(service: Service) {
  const known = new Map<number, Promise<Redact | undefined>>();
  return (deployment: Deployment, { revision }: ObservedWorkload) => {
    const redact = known.get(revision) ?? redactorOfRevision(service, deployment, revision);
    known.set(revision, redact);
    for (const oldest of [...known.keys()].slice(0, -maxRedactors)) known.delete(oldest);
    return redact;
  };
}

/**
 * Logs are shown to users who may view the deployment, without the secrets that the pod received. If the secrets are
 * unknown, nothing is shown.
 */
async function redactorOfRevision(
  { db, seal, urlOf }: Service,
  deployment: Deployment,
  number: number,
): Promise<Redact | undefined> {
  const revision = await findStoredRevision(db, seal, deployment.id, number);
  if (!revision) return undefined;
  const derive = await derivationOf(db, seal, deployment.id);
  // The secrets of its pods do not change when it ends, so it is treated as active.
  const active: Deployment = { ...deployment, state: 'running', removedAt: null };
  const desired = desiredAt(active, revision, {
    now: deployment.createdAt,
    url: urlOf(deployment.label),
    derive,
    egress: noEgress,
  });
  const workloads = desired.kind === 'running' ? desired.workloads : [];
  return redactorOf(
    revision.spec,
    workloads.map(({ workload }) => workload.env),
  );
}
