/** The changes of an update, in words. Pure. */
import type { PodChange, Preview } from '../service/records.ts';

const words: Record<PodChange['change'], string> = {
  added: 'is added',
  removed: 'is removed',
  unchanged: 'stays as it is',
  replaced: 'is replaced without a gap',
  restarted: 'stops, then starts again',
  scaled: 'keeps running, with another number of replicas',
  grown: 'keeps running, with a larger volume',
  rerouted: 'keeps running, at another path',
};

/** `db stops, then starts again`, without the name. */
export function labelOf({ change }: Pick<PodChange, 'change'>): string {
  return words[change];
}

/** A sentence for each volume that changes. */
export function volumeText({ change: podChange, volumes }: Pick<PodChange, 'change' | 'volumes'>): string[] {
  return volumes.flatMap(({ title, change }) => {
    switch (change) {
      case 'new':
        return podChange === 'added' ? [] : [`${title} is new, and empty`];
      case 'left':
        return [`${title} is no longer used; its data stays until the deployment ends`];
      case 'kept':
        return podChange === 'restarted' ? [`${title} keeps its data`] : [];
      default:
        // A volume that grows is described with its cause.
        return [];
    }
  });
}

type Outcome = Pick<Preview, 'pods' | 'interrupted' | 'servingRevision'>;

/** The effects of an update for visitors, and those of its failure. */
export function outcomeText({ pods, interrupted, servingRevision }: Outcome): string {
  if (servingRevision === undefined)
    return 'The address stays. It is not served yet, and will not be if this revision does not become ready either.';
  const gap =
    interrupted.length > 0 ? ` Nothing answers at ${interrupted.join(', ')} until the new revision is ready.` : '';
  const stopped = pods.filter(({ change }) => change === 'restarted').map(({ name }) => name);
  const back =
    stopped.length > 0 ? `, and ${stopped.join(', ')} ${stopped.length > 1 ? 'start' : 'starts'} again as before` : '';
  return `The address stays.${gap} If the new revision does not become ready, revision ${servingRevision} keeps serving${back}.`;
}
