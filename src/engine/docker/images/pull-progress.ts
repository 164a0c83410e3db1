/** PURE. How far a pull is, by bytes over all layers. */
import type { PulledBytes } from '../../../deployment/deployment.ts';

/** One line of Docker's answer to a pull. */
export type PullLine = {
  id?: string;
  status?: string;
  error?: string;
  progressDetail?: { current?: number; total?: number };
};

type Layer = { total: number; downloaded: number; extracted: number };

export type PullProgress = {
  /** 0..1, with unpacking; never less than before. */
  share: number;
  /** Of what has to come: layers that are here already count to neither. */
  bytes: PulledBytes;
};

/** Downloads take most of the time; a layer is done when it is unpacked. */
const downloadShare = 0.8;

/** The engine calls a layer by the beginning of its digest. */
const idLength = 12;

/** Takes the lines one after another. */
export function createPullProgress(
  layers: readonly { digest: string; sizeBytes: number }[],
): (line: PullLine) => PullProgress {
  const coming = new Map(
    layers.map(({ digest, sizeBytes }): [string, Layer] => {
      const [, hex = ''] = digest.split(':');
      return [hex.slice(0, idLength), { total: sizeBytes, downloaded: 0, extracted: 0 }];
    }),
  );
  let best = 0;
  return (line) => {
    note(coming, line);
    const all = [...coming.values()];
    const sum = (of: (layer: Layer) => number) => all.reduce((bytes, layer) => bytes + of(layer), 0);
    const totalBytes = sum(({ total }) => total);
    const done = sum(({ downloaded, extracted }) => downloadShare * downloaded + (1 - downloadShare) * extracted);
    best = Math.max(best, totalBytes === 0 ? 0 : Math.min(1, done / totalBytes));
    return { share: best, bytes: { doneBytes: sum(({ downloaded }) => downloaded), totalBytes } };
  };
}

function note(coming: Map<string, Layer>, { id, status, progressDetail }: PullLine): void {
  const layer = coming.get(id ?? '');
  if (!layer) return;
  const { current = 0 } = progressDetail ?? {};
  const bytes = Math.min(layer.total, Math.max(0, current));
  switch (status) {
    case 'Already exists':
      coming.delete(id!);
      break;
    case 'Downloading':
      layer.downloaded = bytes;
      break;
    case 'Verifying Checksum':
    case 'Download complete':
      layer.downloaded = layer.total;
      break;
    case 'Extracting':
      layer.downloaded = layer.total;
      layer.extracted = bytes;
      break;
    case 'Pull complete':
      layer.downloaded = layer.total;
      layer.extracted = layer.total;
      break;
  }
}
