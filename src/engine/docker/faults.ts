/**
 * Translates Docker's errors to EngineFaults: classified by the reaction to them, with messages that do not name
 * internals.
 */

import type Docker from 'dockerode';
import { EngineFault } from '../engine.ts';

/** Checks whether the engine responds. */

/** A ping takes a millisecond, and callers need the result immediately. */
const patienceMs = 2_000;

/** Concurrent callers share one request. */
export function createPing(docker: Docker): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= ping(docker).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function ping(docker: Docker): Promise<void> {
  const abortSignal = AbortSignal.timeout(patienceMs);
  // The client accepts the signal, although its types do not declare it.
  const ask = docker.ping as (options: { abortSignal: AbortSignal }) => Promise<unknown>;
  try {
    await ask.call(docker, { abortSignal });
  } catch (error) {
    if (!abortSignal.aborted) throw error;
    throw new EngineFault('unavailable', engineUnresponsive, { cause: error });
  }
}

/** Returns the HTTP status of Docker's response. Undefined without a response. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The answer to `request`, or undefined if Docker reports that the object does not exist, with 404 or `alsoStatus`. */
export async function orAbsent<T>(request: Promise<T>, alsoStatus?: number): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || (status !== undefined && status === alsoStatus)) return undefined;
    throw error;
  }
}

/** Runs `request` and treats these statuses as success, because the requested state exists already. */
export async function unless(request: Promise<unknown>, ...statuses: number[]): Promise<void> {
  try {
    await request;
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || !statuses.includes(status)) throw error;
  }
}

/**
 * Returns an error of a request to Docker as a fault. Other errors are bugs and are returned unchanged. `pod`: the
 * subject of the request, if any.
 */
export function faultOf(error: unknown, pod?: string): unknown {
  if (error instanceof EngineFault) return error;
  // A timeout has no specific subject.
  if (isTimeout(error)) return new EngineFault('unavailable', engineUnresponsive, { cause: error });
  if (statusOf(error) === undefined) return error;
  const { kind, words, hint } = explain(error);
  const message = pod === undefined ? words.replace(/^./, (letter) => letter.toUpperCase()) : words;
  return new EngineFault(kind, message, { cause: error, ...(hint !== undefined && { hint }), ...aboutPod(pod) });
}

function aboutPod(pod: string | undefined): { pods?: string[] } {
  return pod === undefined ? {} : { pods: [pod] };
}

export const engineUnresponsive = 'The container engine does not respond.';
export const outOfDiskHint = 'the operator has to make room';

type Explanation = { kind: EngineFault['kind']; words: string; hint?: string };

function explain(error: unknown): Explanation {
  const text = textOf(error);
  const status = statusOf(error);
  const known = rules.find(({ pattern }) => pattern.test(text));
  if (known) return known;
  if (status === 400) return { kind: 'bad-request', words: reasonIn(text) };
  return { kind: 'unavailable', words: 'the container engine could not do this now.' };
}

/** Returns whether the connection to Docker failed (`ECONNREFUSED`, `ENOENT`, …) or was interrupted (`ECONNRESET`). */
export function isTimeout(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return statusOf(error) === undefined && typeof code === 'string' && /^E[A-Z]+$/.test(code);
}

/** Messages of Docker 20.10 to 28. */
const rules: (Explanation & { pattern: RegExp })[] = [
  {
    pattern: /could not select device driver/i,
    kind: 'bad-request',
    words: 'it requests a GPU, but containers on this host have no GPU available.',
    hint: 'leave out useGPU (Compose: its gpus or devices), or deploy it to a host that has one',
  },
  {
    pattern: /no space left on device/i,
    kind: 'unavailable',
    words: 'out of disk: the host has no space left for it.',
    hint: outOfDiskHint,
  },
  {
    pattern: /unknown (or invalid )?runtime/i,
    kind: 'unavailable',
    words: 'the container engine no longer knows the runtime that pods run in.',
    hint: 'the operator has to register it again',
  },
  { pattern: /no such image/i, kind: 'unavailable', words: 'its image is no longer on the host.' },
  { pattern: /network \S+ not found/i, kind: 'unavailable', words: 'the network of the deployment is missing.' },
  {
    pattern: /cannot overwrite (non-)?directory|is not (a )?directory|not a directory/i,
    kind: 'bad-request',
    words: 'one of its files or volumes has the path of a directory of the image, or a directory that of a file.',
  },
  {
    pattern: /unable to find (user|group) /i,
    kind: 'bad-request',
    words: 'its user or group does not exist in its image.',
  },
];

/** A refusal is about values that the user wrote, so its text may be shown, but for paths of the host. */
function reasonIn(text: string): string {
  const reason = text
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .replaceAll(/\/(var\/lib|var\/run|run)\/(docker|containerd)\S*/g, '…')
    .trim();
  return `the container engine refuses it: ${reason.length > 300 ? `${reason.slice(0, 300)}…` : reason}`;
}

/** Returns whether an error of the kernel or a program means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOSPC' || /no space left/i.test(String(error));
}
