/**
 * Proof that a registry has a layer. The engine stores the layers of all images together and uses an existing one
 * without requesting it. A registry could therefore list the digest of another user's layer and have it run. So each
 * registry must prove once that it has the layers that it lists.
 */

import { pushedRegistry } from '../../config/values/pushed-image.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';

export type LayerAccess = {
  /** Notes that its registry has sent a layer. */
  recordSent(image: ResolvedUpstream, layer: Descriptor): void;
  /** Returns whether no request is needed: its registry has sent the layer, or the layer is public. */
  isProven(image: ResolvedUpstream, layer: Descriptor): boolean;
  /**
   * Returns whether possession can be confirmed without a download: clients that pushed a layer have proven it. Throws
   * ImageFault, DialFault.
   */
  confirm(image: ResolvedUpstream, layer: Descriptor, signal: AbortSignal): Promise<boolean>;
};

/** Each takes about 200 bytes. A removed one must be proven again. */
const maxRecorded = 50_000;

export function createLayerAccess(cache: BlobCache | undefined): LayerAccess {
  const sent = new Set<string>();
  const publicKey = (layer: Descriptor) => layer.digest;
  const inRepository = ({ context, repository }: ResolvedUpstream, { digest }: Descriptor) =>
    `${context.registry}/${repository} ${digest}`;

  function recordSent(image: ResolvedUpstream, layer: Descriptor): void {
    sent.add(image.isForEverybody ? publicKey(layer) : inRepository(image, layer));
    if (sent.size > maxRecorded) sent.delete(sent.values().next().value!);
  }

  const isProven = (image: ResolvedUpstream, layer: Descriptor) =>
    sent.has(publicKey(layer)) ||
    sent.has(inRepository(image, layer)) ||
    // The cache contains only public layers.
    cache?.sizeOf(layer.digest) !== undefined;

  return {
    recordSent,
    isProven,
    async confirm(image, layer, signal) {
      if (isProven(image, layer)) return true;
      if (image.context.registry !== pushedRegistry) return false;
      await confirmPushed(image, layer, signal);
      return true;
    },
  };
}

async function confirmPushed({ client, context }: ResolvedUpstream, { digest }: Descriptor, signal: AbortSignal) {
  const { status, body } = await client.request('HEAD', `blobs/${digest}`, { accept: '*/*', signal });
  body.destroy();
  if (status !== 200) throw refusal(context, 'names a layer that was not pushed with it');
}
