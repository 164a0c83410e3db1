/** PURE. How far a pull is, by bytes over all layers. */

/** One line of Docker's answer to a pull. */
export type PullLine = {
  id?: string;
  status?: string;
  error?: string;
  progressDetail?: { current?: number; total?: number };
};

/** `total` is unknown until the layer's download starts. */
type Layer = { total?: number | undefined; downloaded: number; extracted: number };

/** Downloads take most of the time; a layer is done when it is unpacked. */
const downloadShare = 0.8;

/** Takes the lines one after another and answers 0..1, never less than before. */
export function createPullProgress(): (line: PullLine) => number {
  const layers = new Map<string, Layer>();
  let best = 0;
  return (line) => {
    note(layers, line);
    best = Math.max(best, shareOf([...layers.values()]));
    return best;
  };
}

function note(layers: Map<string, Layer>, { id, status, progressDetail }: PullLine): void {
  if (!id || !status) return;
  const layer = layers.get(id) ?? { downloaded: 0, extracted: 0 };
  const { current = 0, total } = progressDetail ?? {};
  switch (status) {
    case 'Pulling fs layer':
    case 'Waiting':
      break;
    case 'Downloading':
      layer.total = total && total > 0 ? total : layer.total;
      layer.downloaded = current;
      break;
    case 'Verifying Checksum':
    case 'Download complete':
      layer.downloaded = layer.total ?? 0;
      break;
    case 'Extracting':
      layer.total = total && total > 0 ? total : layer.total;
      layer.downloaded = layer.total ?? 0;
      layer.extracted = current;
      break;
    case 'Pull complete':
      layer.total ??= 1;
      layer.downloaded = layer.total;
      layer.extracted = layer.total;
      break;
    default:
      // `Already exists` is nothing to do; `Pulling from …` has the tag for its id.
      return;
  }
  layers.set(id, layer);
}

/** Layers of unknown size count as the mean of the known ones. */
function shareOf(layers: Layer[]): number {
  const known = layers.flatMap(({ total }) => total ?? []);
  if (known.length === 0) return 0;
  const sum = known.reduce((all, total) => all + total, 0);
  const estimate = (sum / known.length) * layers.length;
  const done = layers.reduce(
    (all, { downloaded, extracted }) => all + downloadShare * downloaded + (1 - downloadShare) * extracted,
    0,
  );
  return Math.min(1, done / estimate);
}
