/** A pull within a visit. It reports progress and ends when it has stalled for too long. */

import { registryOf } from '../../config/values/image-names.ts';
import type { Operation } from '../../deployment/plan/operation.ts';
import type { Pulled } from '../../deployment/status/deployment-progress.ts';
import { EngineFault, type Pulling, whenItAnswers } from '../../engine/engine.ts';
import type { Wait } from '../../lib/wait.ts';

/** Each report is a write. */
const reportEveryMs = 250;

/** How a pull reports progress and is aborted. */
export type WatchedPull = Required<Pick<Pulling, 'progress' | 'signal'>> & Pick<Pulling, 'limits'>;

export type PullWatch = {
  /** How much of an image is here. */
  report: (pulled: [image: string, Pulled]) => void;
  /** Gives a pull up: it rejects with the signal's reason. */
  giveUp: AbortSignal;
  /** The time left without progress, read again when it has passed. */
  leftMs: () => number;
  wait: Wait;
};

/** The pull made no progress for too long, for any reason. */
export class LatePull extends EngineFault {
  constructor(image: string, options: ErrorOptions) {
    const words = `The pull of ${image} has stalled: its registry ${registryOf(image)} may have stopped sending.`;
    super('registry-unreachable', words, { ...options, image, hint: whenItAnswers });
  }
}

/** Does `work`; that of a pull is watched. Throws LatePull when nothing more has come for too long. */
export async function watchPull(
  operation: Operation,
  { report, giveUp, leftMs, wait }: PullWatch,
  work: (pulling: WatchedPull) => Promise<void>,
): Promise<void> {
  if (operation.kind !== 'pull') return await work({ progress: () => {}, signal: giveUp });
  const { image } = operation;
  const ended = new AbortController();
  const late = new AbortController();
  void untilLate(leftMs, wait, ended.signal).then((isLate) => isLate && late.abort());
  report([image, { share: 0 }]);
  try {
    await work({
      progress: everySoOften((share, bytes) => report([image, { share, ...(bytes && { bytes }) }])),
      signal: AbortSignal.any([giveUp, late.signal]),
    });
  } catch (error) {
    if (!late.signal.aborted || giveUp.aborted) throw error;
    throw new LatePull(image, { cause: error });
  } finally {
    ended.abort();
  }
}

/** False when the work has ended before. */
async function untilLate(leftMs: () => number, wait: Wait, ended: AbortSignal): Promise<boolean> {
  while (!ended.aborted) {
    const ms = leftMs();
    if (ms <= 0) return true;
    await wait(ms, ended);
  }
  return false;
}

function everySoOften(report: NonNullable<Pulling['progress']>): NonNullable<Pulling['progress']> {
  let reportedAt = performance.now();
  return (...told) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    report(...told);
  };
}
