/**
 * The service as a registry: the part of the distribution specification that a push needs. Existing blobs are not sent.
 * Others are sent in pieces, and continue after a broken connection.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseObject } from '../../lib/json.ts';
import type { HashedFile } from '../hashed-file.ts';
import { PushFault } from '../push-fault.ts';

/**
 * The size of one piece of a layer: it is held in memory, is repeated after a broken connection, and must pass every
 * proxy.
 */
const pieceBytes = 8 * 2 ** 20;
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000];

export type RegistryClient = {
  hasBlob(repository: string, digest: string): Promise<boolean>;
  /** Returns the digest of the manifest that a tag names. Undefined if the tag does not exist. */
  digestOf(repository: string, tag: string): Promise<string | undefined>;
  /** Sends a file. Calls `onBytes` with the number of further bytes that have arrived. */
  sendBlob(repository: string, blob: HashedFile, onBytes: (bytes: number) => void): Promise<void>;
  sendManifest(repository: string, reference: string, manifest: Manifest): Promise<void>;
};

export type Manifest = { content: Buffer; mediaType: string };

export type RegistryOptions = {
  /** The origin of the service. */
  server: string;
  token: string;
  signal: AbortSignal;
  /** The pauses before each retry. */
  pauses?: readonly number[];
};

/** All functions throw a fault if the service refuses or no longer answers. */
export function createRegistryClient({ server, token, signal, pauses = pausesMs }: RegistryOptions): RegistryClient {
  const authorization = `Basic ${Buffer.from(`berth:${token}`).toString('base64')}`;

  /** Retries without a response, or if the service is busy or restarting. */
  async function send(path: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): Promise<Response> {
    for (const pauseMs of [...pauses, undefined]) {
      const answer = await sendOnce(path, { method, headers, ...(body && { body }) });
      if (answer instanceof Response && !isPassing(answer.status)) return answer;
      if (pauseMs === undefined) throw answer instanceof Response ? await refusalOf(answer) : answer;
      await answerRead(answer);
      await delay(pauseMs, undefined, { signal });
    }
    throw new Error('unreachable: the last pause is undefined');
  }

  async function sendOnce(path: string, { method, headers, body }: RequestOptions): Promise<Response | PushFault> {
    try {
      return await fetch(new URL(path, server), {
        ...(method && { method }),
        headers: { ...headers, authorization },
        ...(body && { body }),
        signal,
        redirect: 'error' as const,
      });
    } catch (error) {
      signal.throwIfAborted();
      const { cause } = error as Error;
      const why = (cause as Error | undefined)?.message || String(error);
      return new PushFault(`${server} does not answer: ${why}`, { isUnreachable: true });
    }
  }

  async function head(path: string): Promise<Response | undefined> {
    const answer = await send(path, { method: 'HEAD', headers: { accept: '*/*' } });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw await refusalOf(answer);
    return answer;
  }

  const hasBlob = async (repository: string, digest: string) =>
    (await head(`/v2/${repository}/blobs/${digest}`)) !== undefined;

  async function begin(repository: string): Promise<string> {
    const answer = await send(`/v2/${repository}/blobs/uploads/`, { method: 'POST' });
    if (answer.status !== 202) throw await refusalOf(answer);
    await answerRead(answer);
    return placeOf(answer);
  }

  /** Returns how much of an upload has arrived. Undefined if it is gone or cannot be continued. */
  async function progressOf(place: string): Promise<number | undefined> {
    for (const pauseMs of [...pauses, undefined]) {
      const answer = await send(place);
      await answerRead(answer);
      if (answer.status === 204) {
        const last = Number(/^(?:bytes=)?0-(\d+)$/.exec(answer.headers.get('range') ?? '')?.[1] ?? 0);
        // The service reports the same range for zero bytes and for one byte.
        return last === 0 ? 0 : last + 1;
      }
      if (answer.status === 404 || pauseMs === undefined) return undefined;
      // The service is still reading the data before the broken connection.
      await delay(pauseMs, undefined, { signal });
    }
    return undefined;
  }

  return {
    hasBlob,
    async digestOf(repository, tag) {
      const answer = await head(`/v2/${repository}/manifests/${tag}`);
      return answer?.headers.get('docker-content-digest') ?? undefined;
    },

    async sendBlob(repository, { file, digest, sizeBytes }, onBytes) {
      const handle = await open(file);
      try {
        let place = await begin(repository);
        let sent = 0;
        let reported = 0;
        for (let broken = 0; sent < sizeBytes; ) {
          const piece = await pieceAt(handle, sent);
          const headers = {
            'content-type': 'application/octet-stream',
            'content-range': `${sent}-${sent + piece.length - 1}`,
          };
          const answer = await sendOnce(place, { method: 'PATCH', headers, body: piece });
          if (answer instanceof Response && answer.status === 202) {
            await answerRead(answer);
            place = placeOf(answer);
            sent += piece.length;
            broken = 0;
          } else {
            if (answer instanceof Response && !isPassing(answer.status) && ![404, 416].includes(answer.status))
              throw await refusalOf(answer);
            const pauseMs = pauses[broken++];
            if (pauseMs === undefined) throw answer instanceof Response ? await refusalOf(answer) : answer;
            await answerRead(answer);
            await delay(pauseMs, undefined, { signal });
            // An upload that no longer exists, or whose progress is unknown, starts again.
            const there = answer instanceof Response && answer.status === 416 ? undefined : await progressOf(place);
            if (there === undefined) place = await begin(repository);
            sent = there ?? 0;
          }
          if (sent > reported) onBytes(sent - reported);
          reported = Math.max(reported, sent);
        }
        const end = `${place}${place.includes('?') ? '&' : '?'}digest=${encodeURIComponent(digest)}`;
        const answer = await send(end, { method: 'PUT' });
        // If the answer was lost, a repeated request finds the upload gone and the blob present.
        if (answer.status === 404 && (await hasBlob(repository, digest))) return;
        if (answer.status !== 201) throw await refusalOf(answer);
        await answerRead(answer);
      } finally {
        await handle.close();
      }
    },

    async sendManifest(repository, reference, { content, mediaType }) {
      const headers = { 'content-type': mediaType };
      const answer = await send(`/v2/${repository}/manifests/${reference}`, {
        method: 'PUT',
        headers,
        body: new Uint8Array(content),
      });
      if (answer.status !== 201) throw await refusalOf(answer);
      await answerRead(answer);
    },
  };
}

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> };

async function pieceAt(handle: FileHandle, at: number): Promise<Buffer<ArrayBuffer>> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, at);
  return buffer.subarray(0, bytesRead);
}

/** Returns the path on the service, so that the login is not sent elsewhere. */
function placeOf(answer: Response): string {
  const { pathname, search } = new URL(answer.headers.get('location') ?? '', answer.url);
  // Two slashes at the start would name another host.
  return `${pathname.replace(/^\/+/, '/')}${search}`;
}

/** Reads the rest of an answer, so that its connection can be used again. */
async function answerRead(answer: Response | PushFault): Promise<void> {
  if (answer instanceof Response && !answer.bodyUsed) await answer.arrayBuffer().catch(() => {});
}

/** Too many at the moment, or a service that restarts. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

async function refusalOf(answer: Response): Promise<PushFault> {
  const text = answer.bodyUsed ? '' : await answer.text().catch(() => '');
  const { errors } = parseObject(text) as { errors?: { message: string }[] };
  // A server in between may have responded instead.
  const reported = Array.isArray(errors) ? errors[0]?.message : undefined;
  return new PushFault(`The service does not take the image: ${reported ?? `it answered ${answer.status}`}`);
}
