/** The distribution protocol, as far as whoever pulls by digest needs it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';

export type AskedPath = { name: string; kind: 'manifests' | 'blobs'; digest: string };

const form = /^\/v2\/([a-z0-9._/-]+)\/(manifests|blobs)\/(sha256:[0-9a-f]{64})$/;

/** Undefined when everything has been answered. */
export function readPath({ method, url = '' }: IncomingMessage, response: ServerResponse): AskedPath | undefined {
  if (method !== 'GET' && method !== 'HEAD') refuse(response, 405, 'UNSUPPORTED');
  else if (url === '/v2/') response.end('{}');
  else {
    const [, name, kind, digest] = form.exec(url) ?? [];
    if (name !== undefined) return { name, kind: kind as AskedPath['kind'], digest: digest! };
    refuse(response, 404, 'NAME_UNKNOWN');
  }
  return undefined;
}

/** Answers about an image, where that needs nothing but what is known of it; else the layer whose bytes are to follow. */
export function answerKnown(
  { manifest, config, layers }: ResolvedUpstream,
  digest: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): Descriptor | undefined {
  response.setHeader('docker-content-digest', digest);
  const document = [manifest, { digest: config.descriptor.digest, bytes: config.bytes, mediaType: undefined }].find(
    (each) => each.digest === digest,
  );
  if (document) {
    response.setHeader('content-type', document.mediaType ?? 'application/octet-stream');
    response.setHeader('content-length', document.bytes.length);
    response.end(method === 'HEAD' ? undefined : document.bytes);
    return undefined;
  }
  const layer = layers.find((each) => each.digest === digest)!;
  response.setHeader('content-type', 'application/octet-stream');
  response.setHeader('content-length', layer.sizeBytes);
  if (method !== 'HEAD') return layer;
  response.end();
  return undefined;
}

export function hasDigest({ manifest, config, layers }: ResolvedUpstream, digest: string): boolean {
  const digests: string[] = [manifest.digest, config.descriptor.digest, ...layers.map((layer) => layer.digest)];
  return digests.includes(digest);
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

/** Names that an image has at a gate begin with this, behind the address. */
const mark = 'berth.gate';

/** Of Docker, such a name is of a pull that was cut off, unless one is just ending. */
export function isGateName(reference: string): boolean {
  return reference.includes(`/${mark}/`) && reference.indexOf('/') === reference.indexOf(`/${mark}/`);
}

/** No host has two underscores, and no repository a colon. */
export function nameAtGate({ asked: { registry }, repository }: ResolvedUpstream): string {
  return `${mark}/${registry.replace(':', '__')}/${repository}`;
}
