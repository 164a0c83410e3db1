/** PURE. How far a pull is, by bytes over all layers. */
import type { PulledBytes } from '../../../deployment/deployment.ts';

/** One line of Docker's response to a pull. */
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
  /** Bytes to download; layers that exist already do not count. */
  bytes: PulledBytes;
};

/** Downloads take most of the time; a layer is done when it is unpacked. */
const downloadShare = 0.8;

/** The engine calls a layer by the beginning of its digest. */
const idLength = 12;

export type PullWatch = {
  /** The next line of the engine's. */
  line(line: PullLine): PullProgress;
  /** Returns the share of a layer that has arrived at the gate. */
  passed(digest: string, bytes: number): PullProgress;
};

/** An engine that gets a layer unpacked calls it by its `diffId`. */
export function watchPull(layers: readonly { digest: string; diffId: string; sizeBytes: number }[]): PullWatch {
  const coming = new Map(
    layers.flatMap(({ digest, diffId, sizeBytes }): [string, Layer][] => {
      const layer = { total: sizeBytes, downloaded: 0, extracted: 0 };
      return [
        [nameOf(digest), layer],
        [nameOf(diffId), layer],
      ];
    }),
  );
  let best = 0;
  function progress(): PullProgress {
    const all = [...new Set(coming.values())];
    const sum = (of: (layer: Layer) => number) => all.reduce((bytes, layer) => bytes + of(layer), 0);
    const totalBytes = sum(({ total }) => total);
    const done = sum(({ downloaded, extracted }) => downloadShare * downloaded + (1 - downloadShare) * extracted);
    best = Math.max(best, totalBytes === 0 ? 0 : Math.min(1, done / totalBytes));
    return { share: best, bytes: { doneBytes: sum(({ downloaded }) => downloaded), totalBytes } };
  }
  return {
    line(line) {
      addLine(coming, line);
      return progress();
    },
    passed(digest, bytes) {
      const layer = coming.get(nameOf(digest));
      if (layer) layer.downloaded = Math.min(layer.total, Math.max(0, bytes));
      return progress();
    },
  };
}

function nameOf(digest: string): string {
  const [, hex = ''] = digest.split(':');
  return hex.slice(0, idLength);
}

function addLine(coming: Map<string, Layer>, { id, status, progressDetail }: PullLine): void {
  const layer = coming.get(id ?? '');
  if (!layer) return;
  const { current = 0, total = 0 } = progressDetail ?? {};
  switch (status) {
    case 'Already exists':
      for (const [name, each] of coming) if (each === layer) coming.delete(name);
      break;
    case 'Download complete':
      layer.downloaded = layer.total;
      break;
    case 'Extracting':
      // The engine counts what the layer unpacks to.
      layer.downloaded = layer.total;
      if (total > 0) layer.extracted = layer.total * Math.min(1, Math.max(0, current) / total);
      break;
    case 'Pull complete':
      layer.downloaded = layer.total;
      layer.extracted = layer.total;
      break;
  }
}
