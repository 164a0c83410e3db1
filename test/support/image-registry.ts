/** The registry of pushed images on a port of loopback, with an API whose sessions may push, and requests to it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { ApiSettings } from '../../src/api/api-service.ts';
import { createRegistry } from '../../src/api/registry/registry.ts';
import { type BlobFolder, openBlobFolder } from '../../src/images/blobs/blob-folder.ts';
import { createPushedImages } from '../../src/images/pushed/pushed-image-store.ts';
import { namespaceOf } from '../../src/images/pushed/repository-names.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { sessionOfToken } from '../../src/store/sessions.ts';
import { shopYaml, testApi } from './api.ts';

export type RegistryOptions = { settings?: Partial<ApiSettings>; maxBytes?: number };

export async function openImageRegistry({ settings, maxBytes = 2 ** 40 }: RegistryOptions = {}) {
  const api = await testApi(settings);
  const directory = await mkdtemp(join(tmpdir(), 'berth-images-'));
  const folder: BlobFolder = await openBlobFolder(directory);
  // Files are dated by the machine's clock.
  api.clock.now = Date.now();
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const service = { ...api.service, now };
  const images = createPushedImages(service.db, folder, now);
  const limits = { maxBytes, diskFreeBytes: 0 };
  const app = createRegistry({ service, images, limits }, pino({ level: 'silent' }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const host = `127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  return {
    api,
    service,
    images,
    folder,
    directory,
    clock,
    host,
    /** A session with a deployment that does not expire; its token, and the first part of the names of its images. */
    async pusher() {
      const yaml = shopYaml.replace('shop', `shop-${randomUUID().slice(0, 8)}`);
      const { body } = await api.postYaml('/startUserDeployment', yaml);
      const token: string = body.sessionToken;
      const { id: sessionId } = (await sessionOfToken(service.db, token))!;
      await service.db.updateTable('deployments').set({ expiresAt: null }).where('sessionId', '=', sessionId).execute();
      return { token, sessionId, namespace: namespaceOf({ kind: 'session', sessionId }) };
    },
    /** `body` may be a stream of unknown length. */
    async ask(method: string, path: string, { token, headers, body }: Asked = {}) {
      const authorization = token && `Basic ${Buffer.from(`me:${token}`).toString('base64')}`;
      const response = await fetch(`http://${host}${path}`, {
        method,
        headers: { ...(authorization && { authorization }), ...headers },
        ...(body !== undefined && { body, duplex: 'half' }),
      } as RequestInit);
      const content = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, content, error: errorIn(content) };
    },
    async close() {
      // Node's server waits up to a minute for a connection on which the client sent no request.
      app.server.closeAllConnections();
      await app.close();
      await api.app.close();
      await rm(directory, { recursive: true });
    },
  };
}

export type ImageRegistry = Awaited<ReturnType<typeof openImageRegistry>>;

type Asked = {
  token?: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string | ReadableStream<Uint8Array>;
};

function errorIn(content: Buffer): { code: string; message: string } | undefined {
  try {
    return JSON.parse(content.toString()).errors?.[0];
  } catch {
    return undefined;
  }
}

export const ociImage = 'application/vnd.oci.image.manifest.v1+json';
export const ociIndex = 'application/vnd.oci.image.index.v1+json';
const ociConfig = 'application/vnd.oci.image.config.v1+json';
const ociLayer = 'application/vnd.oci.image.layer.v1.tar+gzip';

export function imageManifest(config: Uint8Array, layers: readonly Uint8Array[], more: object = {}) {
  const describe = (mediaType: string, blob: Uint8Array) => ({ mediaType, digest: digestOf(blob), size: blob.length });
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: ociImage,
      config: describe(ociConfig, config),
      layers: layers.map((layer) => describe(ociLayer, layer)),
      ...more,
    }),
  );
}
