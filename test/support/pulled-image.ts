/** For tests of the gate: images of a registry, and an engine that requests their contents. */
import { Readable } from 'node:stream';
import type { Gate, Offer, Offering } from '../../src/images/gate/gate.ts';
import { ImageFault } from '../../src/images/image-fault.ts';
import { narrowLimits } from '../../src/images/resolve/image-limits.ts';
import type { ResolvedUpstream } from '../../src/images/resolve/resolve.ts';
import { type Digest, digestOf } from '../../src/lib/digest.ts';

export const digestOfLetter = (letter: string): Digest => `sha256:${letter.repeat(64)}`;

export const image: ResolvedUpstream = {
  repository: 'a/b',
  digest: digestOfLetter('0'),
  manifest: {
    digest: digestOfLetter('1'),
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    bytes: Buffer.from('{}'),
  },
  config: {
    descriptor: { mediaType: 'x', digest: digestOfLetter('2'), sizeBytes: 4 },
    bytes: Buffer.from('null'),
  },
  layers: [],
  diffIds: [],
  limits: narrowLimits({ compressedBytes: 2 ** 30, unpackedBytes: 2 ** 30 }),
  isForEverybody: true,
  payer: '',
  client: {
    request: () => {
      throw new Error('no registry is used');
    },
  },
  context: { image: 'r.example:5000/a/b:1', registry: 'r.example:5000', hasLogin: false },
};

/** A registry's image of one layer, or of the same several times; `sent`: what it answers, one after another. */
export function imageOf(layer: Buffer, sent: () => Buffer, said: Partial<ResolvedUpstream> = {}): ResolvedUpstream {
  const url = new URL('https://r.example/');
  const client = { request: async () => ({ status: 200, headers: {}, url, body: Readable.from(piecesOf(sent())) }) };
  const descriptor = { mediaType: 'x', digest: digestOf(layer), sizeBytes: layer.length };
  const layers = said.diffIds?.map(() => descriptor) ?? [descriptor];
  const document = { layers: layers.map(({ digest, sizeBytes }) => ({ digest, size: sizeBytes })) };
  const bytes = Buffer.from(JSON.stringify(document));
  const manifest = { ...image.manifest, digest: digestOf(bytes), bytes };
  return { ...image, manifest, layers, client, ...said };
}

function piecesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
}

export type Pulled = { came: Buffer | undefined; fault: string | undefined };

/** As an engine does it that has nothing: `came` is the first layer as it gets it. */
export async function pull(gate: Gate, pulled: ResolvedUpstream, offering: Partial<Offering> = {}): Promise<Pulled> {
  try {
    await using offer = await gate.offer(pulled, { signal: new AbortController().signal, ...offering });
    const [layer] = await servedLayers(offer);
    const ask = () => askGate(offer, `blobs/${layer!.digest}`);
    let answer = await ask();
    if (!answer.ok && (await offer.isMended())) answer = await ask();
    return { came: answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined, fault: undefined };
  } catch (error) {
    if (error instanceof ImageFault) return { came: undefined, fault: error.message };
    throw error;
  }
}

/** The layers of the manifest that the engine gets. */
export async function servedLayers(offer: Offer): Promise<{ digest: string; size: number }[]> {
  const manifest = await askGate(offer, `manifests/${offer.reference.split('@')[1]}`);
  return ((await manifest.json()) as { layers: { digest: string; size: number }[] }).layers;
}

/** `path`: behind the name of the image. */
export async function askGate({ reference, auth }: Offer, path: string): Promise<Response> {
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(reference)!;
  const authorization = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
  return await fetch(`http://${host}/v2/${name}/${path}`, { headers: { authorization } });
}

/** Records a layer that a registry sends, and returns it. */
export function send(sent: Buffer[], layer: Buffer): Buffer {
  sent.push(layer);
  return layer;
}
