/** Resolves a reference by querying its registry through the dialer. */
import { loginFor } from '../../config/spec/spec.ts';
import { isReference, locateImage } from '../../config/values/image-names.ts';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import type { ImageLimits, OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { ImageRequest } from '../../deployment/plan/operation.ts';
import { type Digest, digestOf, isDigest } from '../../lib/digest.ts';
import { readWhole } from '../dialer/bounded-body.ts';
import type { Dialer } from '../dialer/dialer.ts';
import { architectureHint, ImageFault } from '../image-fault.ts';
import {
  type Descriptor,
  isAttestation,
  isManifestFault,
  type Manifest,
  manifestTypes,
  type Platform,
  readManifest,
} from '../manifests/manifest.ts';
import { createPushedClient, type PushedImages } from '../pushed/pushed-image-store.ts';
import { type ListedRegistry, type Login, opens } from '../upstream/listed-registries.ts';
import { createRegistryClient, type RegistryClient } from '../upstream/registry-client.ts';
import { dialFault, type RequestContext, rateLimitFault, statusFault } from '../upstream/registry-faults.ts';
import { createRateLimits, pullsLeft, retryAfterMs } from '../upstream/registry-rates.ts';
import {
  choosePlatform,
  type ImageConfig,
  printPlatform,
  printPlatforms,
  readConfig,
  whyNotRun,
} from './image-config.ts';
import { findExcess, type JudgedLimits, narrowLimits } from './image-limits.ts';

/** A registry image before its layers are downloaded. */
export type ResolvedUpstream = {
  repository: string;
  /** The digest that the reference resolves to: of an index, or of the manifest itself. */
  digest: Digest;
  /** The manifest for this host's platform. */
  manifest: { digest: Digest; mediaType: string; bytes: Buffer };
  config: { descriptor: Descriptor; bytes: Buffer };
  layers: Descriptor[];
  /** The digests of the unpacked layers according to the configuration, not verified yet. */
  diffIds: Digest[];
  /** True if the image was pulled without a login of the owner. Any user may read its content. */
  isForEverybody: boolean;
  /** The limits of the image. */
  limits: JudgedLimits;
  /** The client that work for the image is charged to. */
  payer: string;
  /** Requests the layers, with the login that granted access. */
  client: RegistryClient;
  context: RequestContext;
};

export type Resolver = {
  /** Returns the current digest of a reference, without a download. Throws ImageFault. */
  digestOf(request: ImageRequest, signal: AbortSignal): Promise<string>;
  /** Returns the verified manifest and configuration. `own`: limits below the general ones. Throws ImageFault. */
  resolve(
    request: ImageRequest,
    platform: Platform,
    signal: AbortSignal,
    own?: OwnImageLimits,
  ): Promise<ResolvedUpstream>;
};

export type ResolverParts = {
  dialer: Dialer;
  registries: ReadonlyMap<string, ListedRegistry>;
  limits: ImageLimits;
  /** Called with the number of pulls that Docker Hub still allows to this address, if reported. */
  reportPullsLeft?: ((pulls: number) => void) | undefined;
  /** The images that users have pushed here. */
  pushed?: Pick<PushedImages, 'db' | 'folder'> | undefined;
};

/** The size that the distribution specification requires registries to accept. */
const maxManifestBytes = 4 * 2 ** 20;

const accepted = manifestTypes.join(', ');

export function createResolver(parts: ResolverParts): Resolver {
  const { dialer, registries, reportPullsLeft, pushed } = parts;
  const rateLimits = createRateLimits();

  /** Adds the image and registry to any error. */
  async function about<T>(
    request: ImageRequest,
    signal: AbortSignal,
    work: (client: RegistryClient, requested: RequestContext) => Promise<T>,
  ) {
    const { image } = request;
    if (!isReference(image)) throw notAName(image);
    const { registry, repository, reference } = locateImage(image);
    if (!repositoryGrammar.test(repository) || !referenceGrammar.test(reference)) throw notAName(image);
    const listed = registries.get(registry);
    const ownLogin = loginOf(request);
    const login = ownLogin ?? listed?.login;
    const requested = { image, registry, hasLogin: login !== undefined };
    const location = { registry, repository };
    const client =
      registry === pushedRegistry && pushed
        ? createPushedClient(pushed, repository)
        : createRegistryClient(dialer, { location, login, listed });
    try {
      if (listed?.login && !ownLogin && !opens(listed, location)) {
        const without = createRegistryClient(dialer, { location, login: undefined, listed });
        await confirmPublic(without, reference, { ...requested, hasLogin: false }, signal);
      }
      return await work(client, requested);
    } catch (error) {
      throw dialFault(error, requested);
    }
  }

  return {
    digestOf: (request, signal) =>
      about(request, signal, async (client, requested) => {
        const { reference } = locateImage(request.image);
        const wish = { accept: accepted, signal };
        // Docker Hub does not count this request.
        const { status, headers, body } = await client.request('HEAD', `manifests/${reference}`, wish);
        body.destroy();
        const left = requested.registry === 'docker.io' && !requested.hasLogin ? pullsLeft(headers) : undefined;
        if (left !== undefined) reportPullsLeft?.(left);
        if (status !== 200) throw statusFault(status, requested);
        const digest = String(headers['docker-content-digest'] ?? '');
        if (isDigest(digest)) return digest;
        return (await readVerified(client, 'manifests', reference, requested, signal)).digest;
      }),

    resolve: (request, platform, signal, own) =>
      about(request, signal, async (client, requested) => {
        const limits = narrowLimits(parts.limits, own);
        const { reference, repository } = locateImage(request.image);
        // Each login has its own rate limit at a repository.
        const what = JSON.stringify([requested.registry, repository, loginOf(request)?.username]);
        const waitMs = rateLimits.waitMs(what);
        if (waitMs > 0) throw rateLimitFault(requested, waitMs);
        const refusedFor = (ms: number) => rateLimits.leaveAlone(what, ms);
        const named = await readVerified(client, 'manifests', reference, requested, signal, refusedFor);
        const manifest = await narrow(named, { client, platform, context: requested, signal });
        const { config: descriptor, layers } = manifest.read;
        if (descriptor.sizeBytes > maxManifestBytes) throw refusal(requested, 'has a configuration of more than 4 MB');
        const config = await readVerified(client, 'blobs', descriptor.digest, requested, signal);
        const { diffIds } = judge(layers, config.bytes, { platform, context: requested, limits });
        return {
          repository,
          digest: named.digest,
          manifest: { digest: manifest.digest, mediaType: manifest.mediaType, bytes: manifest.bytes },
          config: { descriptor, bytes: config.bytes },
          isForEverybody: requested.registry !== pushedRegistry && loginOf(request) === undefined,
          layers,
          diffIds,
          limits,
          payer: own?.payer ?? '',
          client,
          context: requested,
        };
      }),
  };
}

/** As in the distribution specification. Other characters would change the path of requests. */
const repositoryGrammar = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const referenceGrammar = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|sha256:[0-9a-f]{64})$/;

function notAName(image: string): ImageFault {
  const words = `${JSON.stringify(image)} is not the name of an image.`;
  return new ImageFault('bad-request', image, words, { hint: 'write it as registry.example.com/team/app:1.2' });
}

function loginOf({ image, registryLogin }: ImageRequest): Login | undefined {
  const login = loginFor(image, registryLogin);
  return login && { username: login.username, password: login.personalAccessToken };
}

/**
 * The operator's login is for a higher rate limit: it must not grant users images that are private. Docker Hub does not
 * count this request.
 */
async function confirmPublic(
  client: RegistryClient,
  reference: string,
  requested: RequestContext,
  signal: AbortSignal,
) {
  const { status, body } = await client.request('HEAD', `manifests/${reference}`, { accept: accepted, signal });
  body.destroy();
  if (status !== 200) throw statusFault(status, requested);
}

type Document = { digest: Digest; mediaType: string; bytes: Buffer };

/** A document of the registry with the requested digest, or with its computed digest if a tag was requested. */
async function readVerified(
  client: RegistryClient,
  kind: 'manifests' | 'blobs',
  reference: string,
  requested: RequestContext,
  signal: AbortSignal,
  refusedFor?: (ms: number) => void,
): Promise<Document> {
  const accept = kind === 'manifests' ? accepted : '*/*';
  const { status, headers, body, url } = await client.request('GET', `${kind}/${reference}`, { accept, signal });
  if (status !== 200) {
    body.destroy();
    const waitMs = status === 429 ? retryAfterMs(headers, Date.now()) : undefined;
    if (waitMs === undefined) throw statusFault(status, requested);
    refusedFor?.(waitMs);
    throw rateLimitFault(requested, waitMs);
  }
  const bytes = await readWhole(body, maxManifestBytes, url.host);
  const digest = digestOf(bytes);
  if (isDigest(reference) && reference !== digest)
    throw refusal(requested, 'does not match its digest', 'its registry sends something else');
  return { digest, bytes, mediaType: String(headers['content-type'] ?? '') };
}

type Narrowing = { client: RegistryClient; platform: Platform; context: RequestContext; signal: AbortSignal };

/** The manifest for this platform; of an index its entry. */
async function narrow(document: Document, { client, platform, context, signal }: Narrowing) {
  const read = readable(document, context);
  if (read.kind === 'image') return asImage(document, read, context);
  const entry = choosePlatform(read.entries, platform);
  if (!entry) throw wrongPlatform(context, printPlatforms(read.entries), platform);
  const chosen = await readVerified(client, 'manifests', entry.descriptor.digest, context, signal);
  const narrowed = readable(chosen, context);
  if (narrowed.kind === 'index') throw refusal(context, 'is an index within an index');
  return asImage(chosen, narrowed, context);
}

function readable({ bytes, mediaType }: Document, requested: RequestContext): Manifest {
  const read = readManifest(bytes, mediaType);
  if (isManifestFault(read)) throw refusal(requested, whyNotRun(read));
  return read;
}

function asImage(document: Document, read: Extract<Manifest, { kind: 'image' }>, requested: RequestContext) {
  const attestation = read.layers.find(isAttestation);
  if (attestation) throw refusal(requested, whyNotRun({ kind: 'layer-type', found: attestation.mediaType }));
  // The registry's media type may be wrong, and the engine relies on it.
  return { ...document, mediaType: read.mediaType, read };
}

function judge(
  layers: readonly Descriptor[],
  content: Buffer,
  { platform, context, limits }: { platform: Platform; context: RequestContext; limits: JudgedLimits },
): ImageConfig {
  const config: ImageConfig | undefined = readConfig(content);
  if (!config) throw refusal(context, 'has an invalid configuration');
  // An imported image may lack the platform.
  const { os, architecture } = config.platform;
  if (architecture !== '' && (os !== platform.os || architecture !== platform.architecture))
    throw wrongPlatform(context, printPlatform(config.platform), platform);
  const excess = findExcess(layers, config, limits);
  if (excess) throw refusal(context, excess.because, excess.hint);
  if (config.diffIds.length !== layers.length) throw refusal(context, 'has other layers than its configuration says');
  return config;
}

function wrongPlatform({ image }: RequestContext, has: string, platform: Platform): ImageFault {
  const words = `Image ${image} has ${has} only; this server is ${printPlatform(platform)}.`;
  return new ImageFault('image-wrong-architecture', image, words, { hint: architectureHint });
}

/** The image can never run, so a retry is pointless. */
export function refusal({ image }: RequestContext, because: string, hint?: string): ImageFault {
  return new ImageFault('bad-request', image, `Image ${image} ${because}.`, hint === undefined ? {} : { hint });
}
