/**
 * Lets the nodes of a cluster pull images at any time: a pod may move to another node long after its start, and the
 * node may connect to another process. So permissions are not stored: a node sends a sealed pass, which contains the
 * image and its login. A pass is valid for one image only.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { loginFor, type RegistryLogin } from '../../config/spec/spec.ts';
import { pin } from '../../config/values/image-names.ts';
import type { OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { ImageRequest } from '../../deployment/plan/operation.ts';
import { finishConnections } from '../../lib/finish-connections.ts';
import type { Seal } from '../../lib/seal.ts';
import { StartError } from '../../lib/start-error.ts';
import { type ImageContent, readContents, type UnpackLayer } from '../contents/image-contents.ts';
import { type SavedImage, saveImage, type TakeLayer } from '../contents/saved-image.ts';
import type { Platform } from '../manifests/manifest.ts';
import { declaredUser, declaredVolumes } from '../resolve/image-config.ts';
import type { ResolvedUpstream, Resolver } from '../resolve/resolve.ts';
import { answerDocument, beginLayer, nameAtGate, readPath, refuse, refuseLogin } from './distribution.ts';
import type { Gate } from './gate.ts';
import { createUnpackedSum } from './unpack-budget.ts';

export type NodeGate = {
  /**
   * Checks an image and computes its unpacked size. Its registry has then proven that it has each of its layers,
   * because nodes store the layers of all images together. Public layers are then in the cache. `own`: as for a
   * resolver. Throws ImageFault.
   */
  admit(request: ImageRequest, platform: Platform, signal: AbortSignal, own?: OwnImageLimits): Promise<Admitted>;
  /** The contents of the image at these paths; missing paths are left out. Otherwise like `admit`. */
  contents(
    paths: readonly string[],
    ...requested: Parameters<NodeGate['admit']>
  ): Promise<ReadonlyMap<string, ImageContent>>;
  /** The whole image, as the base of a build. Otherwise like `admit`. */
  save(...requested: Parameters<NodeGate['admit']>): Promise<SavedImage>;
};

/** A gate that listens. */
export type OpenNodeGate = NodeGate & {
  /**
   * Hands over to another process on the same port. Resolves when all open requests of nodes are complete, or after
   * `patienceMs`.
   */
  leave(patienceMs: number): Promise<void>;
};

export type Admitted = {
  /** Under which nodes pull it. */
  reference: string;
  /** The digest in the registry. */
  digest: string;
  /** Paths that it declares as volumes. */
  volumes: string[];
  /** Whom its program runs as: `web`, `1000:1000`, '' for root. */
  user: string;
  /** The credential for nodes. */
  pass: Pass;
};

export type Pass = { registry: string; username: string; password: string };

export type NodeGateSettings = {
  host: string;
  port: number;
  /** Host and port for the nodes. */
  name: string;
};

export type NodeGateParts = {
  gate: Pick<Gate, 'take' | 'unpack' | 'confirm'>;
  resolver: Pick<Resolver, 'resolve'>;
  seal: Pick<Seal, 'open' | 'close'>;
  /** Another process of the installation serves nodes on the same port until it leaves. */
  isSucceeding?: boolean;
};

/** Creates the gate of a process if another process with the same key serves the nodes. */
export function createNodeGate({ name }: Pick<NodeGateSettings, 'name'>, parts: NodeGateParts): NodeGate {
  const { gate, resolver, seal } = parts;

  async function judged(...[request, platform, signal, own]: Parameters<NodeGate['admit']>): Promise<ResolvedUpstream> {
    const image = await resolver.resolve(request, platform, signal, own);
    const sum = createUnpackedSum(image.context, image.limits);
    for (const layer of image.layers) await gate.confirm(image, layer, { sum, signal });
    return image;
  }

  return {
    async contents(paths, request, platform, signal, own) {
      const image = await judged(request, platform, signal, own);
      const { context, layers } = image;
      const unpack: UnpackLayer = (layer, out, signal) =>
        gate.unpack(image, layers[layer]!, out, { sum: createUnpackedSum(context, image.limits), signal });
      return await readContents({ image: context.image, layers: layers.length, unpack, paths }, signal);
    },
    async save(request, platform, signal, own) {
      const image = await judged(request, platform, signal, own);
      const take: TakeLayer = (layer, out, signal) =>
        gate.take(image, layer, out, { sum: createUnpackedSum(image.context, image.limits), signal });
      return saveImage(image, take);
    },
    async admit(request, platform, signal, own) {
      const image = await judged(request, platform, signal, own);
      const { digest, manifest, config } = image;
      const login = loginFor(request.image, request.registryLogin);
      const pass: Sealed = { purpose, image: pin(request.image, manifest.digest), ...(login && { login }), platform };
      return {
        reference: `${name}/${nameAtGate(image)}@${manifest.digest}`,
        digest,
        volumes: declaredVolumes(config.bytes),
        user: declaredUser(config.bytes),
        pass: { registry: name, username, password: passwordOf(pass, seal) },
      };
    },
  };
}

/**
 * Contents of a pass, sealed because it may contain a login. `purpose`: distinguishes it from other values sealed with
 * the key.
 */
type Sealed = { purpose: typeof purpose; image: string; login?: RegistryLogin; platform: Platform };

const purpose = 'node-gate';

const username = 'node';

/**
 * The registry's answer for an image that is being pulled is requested once, because a pull consists of a dozen
 * requests.
 */
const resolvedMs = 60_000;
const maxResolved = 200;

/** Resolves when it listens. Throws StartError. */
export async function openNodeGate(
  { host, port, name }: NodeGateSettings,
  { gate, resolver, seal, isSucceeding = false }: NodeGateParts,
): Promise<AsyncDisposable & OpenNodeGate> {
  const closing = new AbortController();
  const resolved = new Map<string, Promise<ResolvedUpstream>>();

  function resolve(pass: Sealed): Promise<ResolvedUpstream> {
    const key = createHash('sha256').update(JSON.stringify(pass)).digest('base64');
    const found = resolved.get(key);
    if (found) return found;
    const { image, login, platform } = pass;
    const asking = resolver.resolve({ image, ...(login && { registryLogin: login }) }, platform, closing.signal);
    resolved.set(key, asking);
    const forget = () => resolved.get(key) === asking && resolved.delete(key);
    asking.then(() => setTimeout(forget, resolvedMs).unref(), forget);
    if (resolved.size > maxResolved) resolved.delete(resolved.keys().next().value!);
    return asking;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pass = readPass(request.headers.authorization, seal);
    if (!pass) return refuseLogin(response);
    const path = readPath(request, response);
    if (!path) return;
    const image = await resolve(pass);
    if (nameAtGate(image) !== path.name) return refuse(response, 404, 'NAME_UNKNOWN');
    const { digest } = image.config.descriptor;
    const config = { digest, mediaType: 'application/octet-stream', bytes: image.config.bytes };
    if (answerDocument([image.manifest, config], path.digest, request, response)) return;
    const layer = image.layers.find((each) => each.digest === path.digest);
    if (!layer) return refuse(response, 404, 'NAME_UNKNOWN');
    if (!beginLayer(layer, request, response)) return;
    const closed = new AbortController();
    response.once('close', () => response.writableFinished || closed.abort());
    const signal = AbortSignal.any([closed.signal, closing.signal]);
    await gate.take(image, layer, response, { sum: createUnpackedSum(image.context, image.limits), signal });
  }

  const server = createServer((request, response) => {
    response.on('error', () => {});
    void answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, 'UNKNOWN');
    });
  });
  try {
    await using _turn = await takeTurn(host, port);
    await tryAlone(host, port).catch(async (error: unknown) => {
      if (!isSucceeding || !(await takesPassesOf(seal, { host, port }))) throw error;
    });
    await listen(server, { host, port, reusePort: true });
  } catch (error) {
    throw new StartError(`Nodes cannot pull at ${host}:${port} (BERTH_GATE): ${(error as Error).message}`);
  }

  return {
    ...createNodeGate({ name }, { gate, resolver, seal }),
    // Keeps listening, because new connections that are not accepted yet would otherwise be cut.
    leave: (patienceMs) => finishConnections(server, patienceMs),
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((ended) => server.close(() => ended()));
    },
  };
}

/** Serializes the start of listening: without it, concurrent attempts could find the port wrongly free or taken. */
async function takeTurn(host: string, port: number): Promise<AsyncDisposable> {
  const turn = createSocketServer();
  // An abstract socket, which disappears with the process. It belongs to the same network namespace as the port.
  await listen(turn, { path: `\0berth-node-gate ${host} ${port}` });
  return turn;
}

/**
 * Throws if another program listens there already: a shared port would silently divert half of the nodes' requests to
 * it.
 */
async function tryAlone(host: string, port: number): Promise<void> {
  const server = createSocketServer();
  await listen(server, { host, port });
  await new Promise((closed) => server.close(closed));
}

type Place = { host: string; port: number; reusePort?: boolean } | { path: string };

function listen(server: Server, at: Place): Promise<void> {
  return new Promise((listening, failed) => server.once('error', failed).listen(at, listening));
}

const answerMs = 5_000;

/**
 * Returns whether the listener belongs to this installation. Only such a process can open a text that this one has
 * sealed.
 */
async function takesPassesOf(seal: Pick<Seal, 'close'>, at: Pick<NodeGateSettings, 'host' | 'port'>): Promise<boolean> {
  const password = passwordOf({ purpose, image: '', platform: { os: '', architecture: '' } }, seal);
  const auth = `${username}:${password}`;
  const requested = get({ ...at, path: '/v2/', auth, agent: false, signal: AbortSignal.timeout(answerMs) });
  const [answer] = (await once(requested, 'response').catch(() => [])) as [IncomingMessage?];
  answer?.resume();
  return answer?.statusCode === 200;
}

function passwordOf(pass: Sealed, seal: Pick<Seal, 'close'>): string {
  return Buffer.from(seal.close(JSON.stringify(pass))).toString('base64url');
}

/** Undefined without a pass of ours. */
function readPass(authorization: string | undefined, seal: Pick<Seal, 'open'>): Sealed | undefined {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization ?? '') ?? [];
  const shown = Buffer.from(encoded, 'base64').toString();
  if (!shown.startsWith(`${username}:`)) return undefined;
  try {
    const read = JSON.parse(seal.open(Buffer.from(shown.slice(username.length + 1), 'base64url')));
    return read?.purpose === purpose ? (read as Sealed) : undefined;
  } catch {
    return undefined;
  }
}
