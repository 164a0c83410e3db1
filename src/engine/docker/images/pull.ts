/** Bringing images to the host: once at a time per image and credentials, through the gate, with progress. */
import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { loginFor, type RegistryLogin } from '../../../config/spec/spec.ts';
import { isPinned, pin } from '../../../config/values/image-names.ts';
import type { OwnImageLimits } from '../../../deployment/limits/pull-limits.ts';
import type { ImageRequest, ResolvedImage } from '../../../deployment/plan/operation.ts';
import { outOfDisk } from '../../../images/image-fault.ts';
import type { Images } from '../../../images/open.ts';
import { orAbort } from '../../../lib/wait.ts';
import { EngineFault, type Pulling } from '../../engine.ts';
import { asEngineFault } from '../../images/as-engine-fault.ts';
import type { LocalImages } from '../../images/local-images.ts';
import { verifiedName } from '../../images/verified-names.ts';
import { engineUnresponsive, isTimeout, orAbsent, textOf, unless } from '../faults.ts';
import { type HostFacts, isAtLeast } from '../host/host-facts.ts';
import { checkArchitecture, readImage } from './image-facts.ts';
import { type PullLine, type PullProgress, watchPull } from './pull-progress.ts';

/**
 * How long an engine may be silent, because unpacking a large layer takes time. The gate limits the silence of a
 * registry.
 */
const engineMs = 600_000;

/** An engine that unpacks writes some 200 MB a second. */
const roomEveryMs = 1_000;

/**
 * The API version of Docker 23, which is the first that unpacks layers compressed with zstd. 20.10 fails with "invalid
 * tar header".
 */
const zstdApiVersion = '1.42';

/** The time limit for resolving the image at its registry. */
const resolveMs = 120_000;

/**
 * An abandoned pull continues for this long. A client that left because of a new intent is back within milliseconds,
 * often for the same image, and the engine would start from the beginning.
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

export type PullParts = {
  docker: Docker;
  images: Images;
  localImages: LocalImages;
  hostFacts: () => Promise<HostFacts>;
  /** Space for images on the engine's disk; undefined if it is unknown. */
  roomBytes: () => Promise<number | undefined>;
};

/** An image that is on the host already is not pulled again. */
export function createPull({ docker, images, localImages, hostFacts, roomBytes }: PullParts): Pull {
  const running = new Map<string, SharedPull>();

  async function ensureImage(request: ImageRequest, { report, ...bringing }: Bringing): Promise<ResolvedImage> {
    const { image } = request;
    const { architecture, apiVersion } = await hostFacts();
    const here = await readImage(docker, image, localImages);
    if (here) {
      checkArchitecture(image, here, architecture);
      report(1);
      return { image, reference: isPinned(image) ? image : (here.pinned ?? image), by: 'presence' };
    }
    const unpacksZstd = !isAtLeast(apiVersion, zstdApiVersion);
    const parts = { docker, images, roomBytes, architecture, unpacksZstd };
    const digest = await bring(parts, request, { report, ...bringing });
    report(1);
    return { image, reference: isPinned(image) ? image : pin(image, digest), by: 'pull' };
  }

  function startPull(
    key: string,
    image: string,
    login: RegistryLogin | undefined,
    limits?: OwnImageLimits,
  ): SharedPull {
    const abandon = new AbortController();
    const waiting = new Set<Pulling>();
    const report: Report = (...reported) => {
      for (const { progress } of waiting) progress?.(...reported);
    };
    const request = { image, ...(login && { registryLogin: login }) };
    const done = ensureImage(request, { report, limits, abandoned: abandon.signal }).finally(() => forget(key, pull));
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
    const login = loginFor(image, anyLogin);
    const key = keyOf(image, login, pulling.limits);
    const pull = running.get(key) ?? startPull(key, image, login, pulling.limits);
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

/** A client with lower limits does not wait for the pull of one with higher limits. */
function keyOf(image: string, login: RegistryLogin | undefined, limits: OwnImageLimits | undefined): string {
  const { payer: _, ...most } = limits ?? {};
  return createHash('sha256')
    .update(JSON.stringify([image, login?.username, login?.personalAccessToken, most]))
    .digest('hex');
}

type Report = NonNullable<Pulling['progress']>;

type Bringing = { report: Report; limits: OwnImageLimits | undefined; abandoned: AbortSignal };

type BringParts = Pick<PullParts, 'docker' | 'images' | 'roomBytes'> & { architecture: string; unpacksZstd: boolean };

/** Resolves the reference, brings the layers to the gate, and has the engine pull from there. Returns the digest. */
async function bring(
  { docker, images, roomBytes, architecture, unpacksZstd }: BringParts,
  request: ImageRequest,
  { report, limits, abandoned }: Bringing,
): Promise<string> {
  const { image } = request;
  const asking = AbortSignal.any([abandoned, AbortSignal.timeout(resolveMs)]);
  try {
    const resolved = await images.resolve(request, { os: 'linux', architecture }, asking, limits);
    const full = new AbortController();
    const sentBytes = resolved.layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const room = (await roomBytes()) ?? Number.POSITIVE_INFINITY;
    if (room < sentBytes) throw outOfDisk(image);
    const watch = watchPull(resolved.layers.map((layer, at) => ({ ...layer, diffId: resolved.diffIds[at]! })));
    const reported = ({ share, bytes }: PullProgress) => report(share, bytes);
    // Layers temporarily use twice their space, and other writers use the disk, too. A pull is aborted before running
    // workloads are stopped.
    using _ = every(roomEveryMs, async () => {
      if (((await roomBytes()) ?? 0) < 0) full.abort(outOfDisk(image));
    });
    const signal = AbortSignal.any([full.signal, abandoned]);
    await using offer = await images.offer(resolved, {
      roomBytes: room,
      unpacksZstd,
      signal,
      passed: (digest, bytes) => reported(watch.passed(digest, bytes)),
    });
    const pulled = { ...offer, image, onLine: (line: PullLine) => reported(watch.line(line)), signal };
    // A start of Berth on this engine removes images without their own names. The next attempt is then quick.
    for (let tries = 0; tries < maxTries; tries++) {
      try {
        await pull(docker, pulled);
      } catch (error) {
        if (!signal.aborted && (await offer.isMended())) continue;
        throw full.signal.aborted ? full.signal.reason : error;
      }
      signal.throwIfAborted();
      if (await tagPulled(docker, offer.reference, image, resolved.digest)) return resolved.digest;
    }
    throw new EngineFault('unavailable', `Image ${image} is gone from the host again.`, { image });
  } catch (error) {
    throw asEngineFault(error);
  }
}

const maxTries = 3;

/** Skips a run while the previous one is in progress. A failure is handled by the next run. */
function every(ms: number, work: () => Promise<void>): Disposable {
  let isAtIt = false;
  const timer = setInterval(async () => {
    if (isAtIt) return;
    isAtIt = true;
    await work().catch(() => {});
    isAtIt = false;
  }, ms);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

type Pulled = {
  image: string;
  reference: string;
  auth: { username: string; password: string; serveraddress: string };
  onLine: (line: PullLine) => void;
  signal: AbortSignal;
};

async function pull(docker: Docker, { image, reference, auth, onLine, signal }: Pulled): Promise<void> {
  const silent = new AbortController();
  const waitOn = () => setTimeout(() => silent.abort(), engineMs);
  let timer = waitOn();
  try {
    const abortSignal = AbortSignal.any([silent.signal, signal]);
    const stream = await docker.pull(reference, { authconfig: auth, abortSignal });
    await follow(docker, stream, (line) => {
      onLine(line);
      clearTimeout(timer);
      timer = waitOn();
    });
  } catch (error) {
    throw pullFault(error, image);
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the verified names to the image, and removes the name of the pull. Returns false if the image was removed. */
async function tagPulled(docker: Docker, reference: string, image: string, digest: string): Promise<boolean> {
  for (const name of new Set([verifiedName(pin(image, digest)), verifiedName(image)])) {
    if (name === undefined) throw new EngineFault('bad-request', `The name of image ${image} is too long.`, { image });
    const at = name.lastIndexOf(':');
    const tagged = docker.getImage(reference).tag({ repo: name.slice(0, at), tag: name.slice(at + 1) });
    if (!(await orAbsent(tagged.then(() => true)))) return false;
  }
  await unless(docker.getImage(reference).remove(), 404);
  return true;
}

/** Reads the response to its end and throws its error: after the start of a response, the status cannot report one. */
function follow(docker: Docker, stream: NodeJS.ReadableStream, read: (line: PullLine) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error) => (error ? reject(error) : resolve()),
      (line: PullLine) => (line.error === undefined ? read(line) : reject(new Error(line.error))),
    );
  });
}

/** PURE. Why the engine does not take an image that the gate has for it. */
export function pullFault(error: unknown, image: string): EngineFault {
  if (error instanceof EngineFault) return error;
  if (isTimeout(error)) return new EngineFault('unavailable', engineUnresponsive, { cause: error, image });
  if (/no space left on device/i.test(textOf(error))) {
    const { message, hint = '' } = outOfDisk(image);
    return new EngineFault('unavailable', message, { cause: error, image, hint });
  }
  return new EngineFault('unavailable', `The container engine could not take image ${image}.`, { cause: error, image });
}
