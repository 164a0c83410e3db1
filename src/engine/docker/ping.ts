/** Whether the engine answers at all. */
import type Docker from 'dockerode';
import { EngineFault } from '../engine.ts';
import { engineIsSilent } from './faults.ts';

/** A ping takes a millisecond, and callers need the answer now. */
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
  // The client takes the signal, though its description does not say so.
  const ask = docker.ping as (options: { abortSignal: AbortSignal }) => Promise<unknown>;
  try {
    await ask.call(docker, { abortSignal });
  } catch (error) {
    if (!abortSignal.aborted) throw error;
    throw new EngineFault('unavailable', engineIsSilent, { cause: error });
  }
}
