/** Pulling images: once at a time per image and credentials, with progress, and faults in words. */
import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { RegistryLogin } from '../../config/spec.ts';
import type { ResolvedImage } from '../../deployment/operation.ts';
import { isPinned, isReference, loginFor, registryOf } from '../../deployment/references.ts';
import { EngineFault } from '../engine.ts';
import type { HostFacts } from './host.ts';
import { checkArchitecture, readImage } from './images.ts';
import { authOf } from './login.ts';
import { pullFault } from './pull-faults.ts';
import { createPullProgress, type PullLine } from './pull-progress.ts';

/** A registry that sends nothing for so long is given up. */
const stallMs = 120_000;

export type PullProgress = (done: number) => void;
export type Pull = (image: string, login: RegistryLogin | undefined, progress?: PullProgress) => Promise<ResolvedImage>;

/** An image that is on the host already is not pulled again. */
export function createPull(docker: Docker, hostFacts: () => Promise<HostFacts>): Pull {
  const running = new Map<string, { done: Promise<ResolvedImage>; listeners: Set<PullProgress> }>();

  async function ensureImage(
    image: string,
    login: RegistryLogin | undefined,
    report: PullProgress,
  ): Promise<ResolvedImage> {
    const isHere = (await readImage(docker, image)) !== undefined;
    if (!isHere) await pullImage(docker, image, login, report);
    const facts = await readImage(docker, image);
    if (!facts) throw new EngineFault('unavailable', `Image ${image} is gone from the host again.`);
    checkArchitecture(image, facts, await hostFacts());
    report(1);
    const reference = isPinned(image) ? image : (facts.pinned[0] ?? image);
    return { image, reference, by: isHere ? 'presence' : 'pull' };
  }

  return async (image, anyLogin, progress) => {
    if (!isReference(image)) throw pullFault(new Error('invalid reference format'), image, false);
    const login = loginFor(image, anyLogin);
    const key = keyOf(image, login);
    let pull = running.get(key);
    if (!pull) {
      const listeners = new Set<PullProgress>();
      const report: PullProgress = (done) => {
        for (const listener of listeners) listener(done);
      };
      pull = { done: ensureImage(image, login, report).finally(() => running.delete(key)), listeners };
      running.set(key, pull);
    }
    if (progress) pull.listeners.add(progress);
    try {
      return await pull.done;
    } finally {
      if (progress) pull.listeners.delete(progress);
    }
  };
}

function keyOf(image: string, login: RegistryLogin | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([image, login?.username, login?.personalAccessToken]))
    .digest('hex');
}

async function pullImage(
  docker: Docker,
  image: string,
  login: RegistryLogin | undefined,
  report: PullProgress,
): Promise<void> {
  const authconfig = authOf(image, login);
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), stallMs);
  try {
    const options = { ...(authconfig && { authconfig }), abortSignal: stalled.signal };
    const stream = await docker.pull(image, options);
    await follow(docker, stream, (done) => {
      timer.refresh();
      report(done);
    });
  } catch (error) {
    throw stalled.signal.aborted
      ? new EngineFault('registry-unreachable', `The registry ${registryOf(image)} stopped answering for ${image}.`, {
          ...{ image, hint: 'it is tried again' },
        })
      : pullFault(error, image, login !== undefined);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the answer to its end, and throws what it says went wrong. */
function follow(docker: Docker, stream: NodeJS.ReadableStream, report: PullProgress): Promise<void> {
  const progress = createPullProgress();
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error) => (error ? reject(error) : resolve()),
      (line: PullLine) => report(progress(line)),
    );
  });
}
