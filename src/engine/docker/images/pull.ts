/** Pulling images: once at a time per image and credentials, with progress, and faults in words. */
import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { RegistryLogin } from '../../../config/spec/spec.ts';
import { loginFor } from '../../../config/spec/spec-images.ts';
import { isPinned, isReference, registryOf } from '../../../config/values/image-names.ts';
import type { ResolvedImage } from '../../../deployment/plan/operation.ts';
import { orAbort } from '../../../lib/abortable.ts';
import { EngineFault, type Pulling, whenItAnswers } from '../../engine.ts';
import type { HostFacts } from '../host/host-facts.ts';
import { checkArchitecture, readImage } from './image-facts.ts';
import { pullFault } from './pull-faults.ts';
import { createPullProgress, type PullLine, type PullPhase } from './pull-progress.ts';
import { authOf } from './registry-login.ts';

/** How long nothing may be heard of a pull, by whom it waits for. */
export type PullPatience = Record<PullPhase, number>;

/**
 * Whoever stalls while its layers come holds the places of all other pulls: an engine downloads three layers at a time
 * unless it is set up otherwise.
 */
const usualPatience: PullPatience = { asking: 120_000, receiving: 30_000, engine: 600_000 };

/**
 * A pull that nobody waits for goes on for so long: whoever has left because of a new intent is back in a few
 * milliseconds, often for the same image, and an engine that begins again begins from nothing.
 */
const lingerMs = 2_000;

export type Pull = (image: string, login: RegistryLogin | undefined, pulling?: Pulling) => Promise<ResolvedImage>;

/** A pull that is under way, for all who wait for it. */
type SharedPull = {
  done: Promise<ResolvedImage>;
  abandon: AbortController;
  waiting: Set<Pulling>;
  lingering?: NodeJS.Timeout;
};

/** An image that is on the host already is not pulled again. */
export function createPull(
  docker: Docker,
  hostFacts: () => Promise<HostFacts>,
  patience: PullPatience = usualPatience,
): Pull {
  const running = new Map<string, SharedPull>();

  async function ensureImage(
    image: string,
    login: RegistryLogin | undefined,
    report: (done: number) => void,
    abandoned: AbortSignal,
  ): Promise<ResolvedImage> {
    const isHere = (await readImage(docker, image)) !== undefined;
    if (!isHere) await pullImage(docker, { image, login, report, abandoned, patience });
    const facts = await readImage(docker, image);
    if (!facts) throw new EngineFault('unavailable', `Image ${image} is gone from the host again.`);
    checkArchitecture(image, facts, await hostFacts());
    report(1);
    const reference = isPinned(image) ? image : (facts.pinned[0] ?? image);
    return { image, reference, by: isHere ? 'presence' : 'pull' };
  }

  function startPull(key: string, image: string, login: RegistryLogin | undefined): SharedPull {
    const abandon = new AbortController();
    const waiting = new Set<Pulling>();
    const report = (done: number) => {
      for (const { progress } of waiting) progress?.(done);
    };
    const done = ensureImage(image, login, report, abandon.signal).finally(() => forget(key, pull));
    const pull: SharedPull = { done, abandon, waiting };
    running.set(key, pull);
    return pull;
  }

  function forget(key: string, pull: SharedPull): void {
    if (running.get(key) === pull) running.delete(key);
  }

  function abandon(key: string, pull: SharedPull): void {
    forget(key, pull);
    pull.abandon.abort();
  }

  return async (image, anyLogin, pulling = {}) => {
    if (!isReference(image)) throw pullFault(new Error('invalid reference format'), image, false);
    const login = loginFor(image, anyLogin);
    const key = keyOf(image, login);
    const pull = running.get(key) ?? startPull(key, image, login);
    clearTimeout(pull.lingering);
    const waiter = { ...pulling };
    pull.waiting.add(waiter);
    try {
      return await orAbort(pull.done, pulling.signal);
    } finally {
      pull.waiting.delete(waiter);
      if (pull.waiting.size === 0) pull.lingering = setTimeout(() => abandon(key, pull), lingerMs).unref();
    }
  };
}

function keyOf(image: string, login: RegistryLogin | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([image, login?.username, login?.personalAccessToken]))
    .digest('hex');
}

type PullRequest = {
  image: string;
  login: RegistryLogin | undefined;
  report: (done: number) => void;
  abandoned: AbortSignal;
  patience: PullPatience;
};

async function pullImage(docker: Docker, { image, login, report, abandoned, patience }: PullRequest): Promise<void> {
  const authconfig = authOf(image, login);
  const progress = createPullProgress();
  const stalled = new AbortController();
  const waitOn = () => setTimeout(() => stalled.abort(), patience[progress.phase()]);
  let timer = waitOn();
  try {
    const options = { ...(authconfig && { authconfig }), abortSignal: AbortSignal.any([stalled.signal, abandoned]) };
    const stream = await docker.pull(image, options);
    await follow(docker, stream, (line) => {
      report(progress.read(line));
      clearTimeout(timer);
      timer = waitOn();
    });
  } catch (error) {
    throw stalled.signal.aborted
      ? new EngineFault('registry-unreachable', `The registry ${registryOf(image)} stopped answering for ${image}.`, {
          ...{ image, hint: whenItAnswers },
        })
      : pullFault(error, image, login !== undefined);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the answer to its end, and throws what it says went wrong: once it has begun, no status tells of it. */
function follow(docker: Docker, stream: NodeJS.ReadableStream, read: (line: PullLine) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error) => (error ? reject(error) : resolve()),
      (line: PullLine) => (line.error === undefined ? read(line) : reject(new Error(line.error))),
    );
  });
}
