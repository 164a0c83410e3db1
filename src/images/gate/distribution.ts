/** The part of the distribution protocol that clients need to pull by digest. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Digest, digestOf } from '../../lib/digest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';

export type RequestedPath = { name: string; kind: 'manifests' | 'blobs'; digest: Digest };

const form = /^\/v2\/([a-z0-9._/-]+)\/(manifests|blobs)\/(sha256:[0-9a-f]{64})$/;

/** Undefined if the response was sent. */
export function readPath({ method, url = '' }: IncomingMessage, response: ServerResponse): RequestedPath | undefined {
  if (method !== 'GET' && method !== 'HEAD') refuse(response, 405, 'UNSUPPORTED');
  else if (url === '/v2/') response.end('{}');
  else {
    const [, name, kind, digest] = form.exec(url) ?? [];
    if (name !== undefined) return { name, kind: kind as RequestedPath['kind'], digest: digest as Digest };
    refuse(response, 404, 'NAME_UNKNOWN');
  }
  return undefined;
}

export type ServedDocument = { digest: string; mediaType: string; bytes: Buffer };

/** Answers requests that need only known facts of an image. Returns false if nothing was sent. */
export function answerDocument(
  documents: readonly ServedDocument[],
  digest: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const document = documents.find((each) => each.digest === digest);
  if (!document) return false;
  response.setHeader('docker-content-digest', digest);
  response.setHeader('content-type', document.mediaType);
  response.setHeader('content-length', document.bytes.length);
  response.end(method === 'HEAD' ? undefined : document.bytes);
  return true;
}

/** Sends the headers of a layer. Returns false if the body is not needed. `sizeBytes`: if known. */
export function beginLayer(
  { digest, sizeBytes }: { digest: string; sizeBytes?: number },
  { method }: IncomingMessage,
  response: ServerResponse,
): boolean {
  response.setHeader('docker-content-digest', digest);
  response.setHeader('content-type', 'application/octet-stream');
  if (sizeBytes !== undefined) response.setHeader('content-length', sizeBytes);
  if (method !== 'HEAD') return true;
  response.end();
  return false;
}

export function refuse(response: ServerResponse, status: number, code: string): void {
  response.statusCode = status;
  response.removeHeader('content-length');
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }));
}

export function refuseLogin(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Basic realm="berth"');
  refuse(response, 401, 'UNAUTHORIZED');
}

/** The prefix of image names at a gate, after the address. */
const mark = 'berth.gate';

/**
 * Returns whether a reference has the host of the gate. In Docker, such a name belongs to an interrupted pull, unless a
 * pull is about to end.
 */
export function isGateName(reference: string): boolean {
  return reference.includes(`/${mark}/`) && reference.indexOf('/') === reference.indexOf(`/${mark}/`);
}

/** No host has two underscores, and no repository a colon. */
export function nameAtGate({ context: { registry }, repository }: ResolvedUpstream): string {
  return `${mark}/${registry.replace(':', '__')}/${repository}`;
}

/** An image as the engine gets it: as its registry has it, except for layers that the engine cannot unpack. */

export type ServedImage = { manifest: ServedDocument; config: ServedDocument };

/** A layer that was unpacked here, named by the digest of the unpacked bytes. */
export type UnpackedLayer = { digest: Digest; sizeBytes: number };

const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const configType = 'application/vnd.docker.container.image.v1+json';
const layerType = 'application/vnd.docker.image.rootfs.diff.tar';

/** `unpacked`: by the digest that the registry calls the layer by. */
export function servedImage(
  { manifest, config, layers }: ResolvedUpstream,
  unpacked: ReadonlyMap<Digest, UnpackedLayer>,
): ServedImage {
  const { digest, sizeBytes } = config.descriptor;
  const served = { digest, mediaType: 'application/octet-stream', bytes: config.bytes };
  if (unpacked.size === 0) return { manifest, config: served };
  const document = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: configType, digest, size: sizeBytes },
    layers: layers.map((layer) => {
      const plain = unpacked.get(layer.digest);
      const mediaType = plain || !layer.mediaType.endsWith('gzip') ? layerType : `${layerType}.gzip`;
      return { mediaType, digest: plain?.digest ?? layer.digest, size: plain?.sizeBytes ?? layer.sizeBytes };
    }),
  };
  const bytes = Buffer.from(JSON.stringify(document));
  return { manifest: { digest: digestOf(bytes), mediaType: manifestType, bytes }, config: served };
}
