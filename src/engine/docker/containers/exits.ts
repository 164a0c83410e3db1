/**
 * How a container last ended. Docker reports it only while the container is stopped. For a running container, Docker
 * keeps the time and whether it was killed for memory, but not the exit code. The exit code is in its events.
 */
import { createInterface } from 'node:readline';
import type Docker from 'dockerode';
import type { Instant } from '../../../deployment/deployment.ts';
import type { Ending } from '../../readiness/container-state.ts';
import { phaseOf } from './inspected-state.ts';

export type Exit = Ending & {
  at: Instant;
  /** Docker's text for the instant. Each exit has another one. */
  finishedAt: string;
};

/** 128 and SIGKILL: the signal of the kernel's OOM killer, but also of others. */
const killedCode = 137;

/** The engine hears of the end and of what it was killed for from two sides, and not always in that order. */
const settleMs = 5_000;

/** How long before and after the end an event may report its cause. */
const causeMs = 60_000;
const latenessMs = 500;

/** `exit` is undefined if it cannot be found out. */
export type KnownEnd = {
  /** Docker's text for the instant. Each end has another one. */
  finishedAt: string;
  exit: Exit | undefined;
  /** Later events cannot change it, so the engine need not be queried again. */
  isSettled: boolean;
};

/**
 * Returns how the container last ended. No exit if it never ended or the cause is unknown. `before`: the previous
 * result, which is about another end if the container ended since. `nowMs`: the engine's clock.
 */
export async function lastEnd(
  docker: Docker,
  inspected: Docker.ContainerInspectInfo,
  before: KnownEnd | undefined,
  nowMs: number,
): Promise<KnownEnd> {
  const { FinishedAt: finishedAt } = inspected.State;
  const at = Date.parse(finishedAt);
  // The first of January of the year 1: it has not ended yet, or could not even be started.
  if (!(at > 0)) return { finishedAt, exit: reportedExit(inspected, { at: nowMs, finishedAt }), isSettled: false };
  if (before?.finishedAt === finishedAt && (before.isSettled || isSettled(before.exit, nowMs))) return before;
  const reported = reportedExit(inspected, { at, finishedAt });
  if (reported && isCertain(reported)) return { finishedAt, exit: reported, isSettled: true };
  // Not the current time, because the engine responds only when its clock reaches the instant.
  const toMs = hasEnded(inspected) ? at + latenessMs : Date.parse(inspected.State.StartedAt);
  const ends = await readEnds(docker, inspected.Id, { fromMs: at - causeMs, toMs });
  // If the engine did not respond, it may still know the exit.
  const isAnswered = ends !== undefined && nowMs - at > settleMs;
  const missed = endIn(ends ?? [], at);
  if (!missed) return { finishedAt, exit: reported, isSettled: isAnswered };
  const exit = exitAt(inspected, { at, finishedAt }, missed.code, missed.isOutOfMemory || isKilled(inspected));
  return { finishedAt, exit, isSettled: isSettled(exit, nowMs) };
}

/** Returns whether later events cannot change the exit. */
function isSettled(exit: Exit | undefined, nowMs: number): boolean {
  return exit !== undefined && (isCertain(exit) || nowMs - exit.at > settleMs);
}

/** Returns whether the engine's data about the container is complete. */
function isCertain({ code, isOutOfMemory }: Exit): boolean {
  return code !== killedCode || isOutOfMemory;
}

type Moment = Pick<Exit, 'at' | 'finishedAt'>;

/** The exit that the engine itself reports. */
function reportedExit(inspected: Docker.ContainerInspectInfo, moment: Moment): Exit | undefined {
  // A container killed for memory had this code, even if the engine no longer reports it.
  const ended = hasEnded(inspected) ? inspected.State.ExitCode : undefined;
  const code = ended ?? (isKilled(inspected) && !isInGroup(inspected) ? killedCode : undefined);
  return code === undefined ? undefined : exitAt(inspected, moment, code, isKilled(inspected));
}

function exitAt(inspected: Docker.ContainerInspectInfo, moment: Moment, code: number, isSaidKilled: boolean): Exit {
  const isOutOfMemory = isSaidKilled && (code === killedCode || !isInGroup(inspected));
  return { ...moment, code, isOutOfMemory, memoryBytes: inspected.HostConfig.Memory ?? 0 };
}

/**
 * With control groups version 1, all containers in a group are notified when it reaches its limit, and Docker reports
 * each as killed for memory, even after its next end. For containers that share a group, the exit code must confirm it.
 */
function isInGroup({ HostConfig }: Docker.ContainerInspectInfo): boolean {
  return Boolean(HostConfig.CgroupParent);
}

function hasEnded({ State }: Docker.ContainerInspectInfo): boolean {
  return State.Restarting || phaseOf(State.Status) === 'exited';
}

function isKilled({ State }: Docker.ContainerInspectInfo): boolean {
  return State.OOMKilled;
}

/** An end of a container, from the engine's events. */
export type End = { atMs: number; code: number; isOutOfMemory: boolean };

/**
 * Returns the end of that instant. Its event is slightly later, and the next end is a whole start later. On a busy
 * machine, the OOM event of the kernel can get lost in containerd, whose watch ends with the container. A container
 * that is killed again within a minute of an OOM kill counts as killed for memory.
 */
export function endIn(ends: readonly End[], atMs: number): Omit<End, 'atMs'> | undefined {
  const index = ends.findIndex((each) => each.atMs >= atMs);
  const end = ends[index];
  if (!end) return undefined;
  const { code, isOutOfMemory } = end;
  const explained = ends.slice(0, index).findLast((each) => each.code !== killedCode || each.isOutOfMemory);
  const isAgain = code === killedCode && (explained?.isOutOfMemory ?? false);
  return { code, isOutOfMemory: isOutOfMemory || isAgain };
}

/** PURE. `lines`: events of one container, oldest first. `oom` belongs to the next `die`, or to one just before. */
export function parseEnds(lines: readonly string[]): End[] {
  const ends: End[] = [];
  let killedAtMs: number | undefined;
  for (const line of lines) {
    const { Action, timeNano = 0, Actor } = JSON.parse(line) as DockerEvent;
    const atMs = Math.floor(timeNano / 1e6);
    const last = ends.at(-1);
    if (Action === 'die') {
      ends.push({ atMs, code: Number(Actor?.Attributes?.exitCode), isOutOfMemory: killedAtMs !== undefined });
      killedAtMs = undefined;
    } else if (last?.code === killedCode && !last.isOutOfMemory && atMs - last.atMs < latenessMs)
      last.isOutOfMemory = true;
    else killedAtMs = atMs;
  }
  return ends.filter(({ code }) => Number.isInteger(code));
}

type DockerEvent = { Action?: string; timeNano?: number; Actor?: { Attributes?: Record<string, string> } };

/** Reads the last events. The engine keeps 256, and loses them at a restart. Undefined if it does not respond. */
async function readEnds(
  docker: Docker,
  containerId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<End[] | undefined> {
  try {
    const filters = { type: ['container' as const], container: [containerId], event: ['die', 'oom'] };
    const stream = await docker.getEvents({ since: fromMs / 1000, until: toMs / 1000, filters });
    const lines: string[] = [];
    for await (const line of createInterface({ input: stream })) if (line.trim() !== '') lines.push(line);
    return parseEnds(lines);
  } catch {
    return undefined;
  }
}
