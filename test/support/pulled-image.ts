/** For tests of the gate: images of a registry, and an engine that asks for what is in them. */
import { Readable } from 'node:stream';
import type { Gate } from '../../src/images/gate/gate.ts';
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
  client: {
    ask: () => {
      throw new Error('nothing is asked of a registry');
    },
  },
  asked: { image: 'r.example:5000/a/b:1', registry: 'r.example:5000', hasLogin: false },
};

/** A registry's image of one layer; `sent`: what it answers, one after another. */
export function imageOf(layer: Buffer, sent: () => Buffer, said: Partial<ResolvedUpstream> = {}): ResolvedUpstream {
  const url = new URL('https://r.example/');
  const client = { ask: async () => ({ status: 200, headers: {}, url, body: Readable.from(piecesOf(sent())) }) };
  const descriptor = { mediaType: 'x', digest: digestOf(layer), sizeBytes: layer.length };
  return { ...image, layers: [descriptor], client, ...said };
}

function piecesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
}

export type Pulled = { came: Buffer | undefined; faults: string[] };

/** As the engine does it; `asks`: whether it asks for the layer, or has it. */
export async function pull(
  gate: Gate,
  pulled: ResolvedUpstream,
  { roomBytes = 2 ** 40, asks = true } = {},
): Promise<Pulled> {
  const faults: string[] = [];
  const failed = ({ message }: Error) => faults.push(message);
  using offer = gate.offer(pulled, { failed, roomBytes });
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
  const authorization = `Basic ${Buffer.from(`engine:${offer.auth.password}`).toString('base64')}`;
  const ask = async () => {
    const answer = await fetch(`http://${host}/v2/${name}/blobs/${pulled.diffIds[0]}`, { headers: { authorization } });
    return answer.ok ? await answer.arrayBuffer().then(Buffer.from, () => undefined) : undefined;
  };
  const came = asks ? await ask() : undefined;
  await offer.confirm();
  return { came, faults };
}
