/** Whether the engine answers at all. */
import type Docker from 'dockerode';
import { EngineFault } from '../engine.ts';
import { engineIsSilent } from './faults.ts';

/** It takes a millisecond; whoever asks wants to know now. */
const patienceMs = 2_000;

/** However many ask at once, the engine is asked once. */
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
