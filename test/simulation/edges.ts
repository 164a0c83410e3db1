/**
 * The edges of a run: each process has one, which outlives it and serves its last table. If there are several, an edge
 * that receives nothing from its process for a while stops answering. A process that removes routes waits for all
 * answering edges.
 */
import type { Endpoint } from '../../src/deployment/site.ts';
import type { createRouteFeed } from '../../src/edge/route-feed.ts';
import type { Wait } from '../../src/lib/wait.ts';
import type { Clock } from './clock.ts';

/** As the setting has it. */
const silenceMs = 30_000;
/** How often its process renews its permission to answer. */
export const renewMs = silenceMs / 6;
const lookEveryMs = 250;

export type SimulatedEdge = {
  /** Its updates, as the real one gets them. */
  told: Parameters<typeof createRouteFeed>[1];
  /** It has this version of the routes at least, and may answer for a while. */
  renew(version: number): void;
  /** Where others lead that answer and have an older version. */
  othersLead(version: number): string[];
  /** Resolves when no other edge that answers serves an older version. */
  othersServe(version: number, waiting: { wait: Wait; stop?: AbortSignal | undefined }): Promise<void>;
};

export type Edges = {
  of(process: number): SimulatedEdge;
  /** The table of each answering edge, by label. */
  answering(): { version: number; sites: ReadonlyMap<string, Endpoint[]> }[];
};

type State = { sites: Map<string, Endpoint[]>; version: number; answersUntil: number };

/** `areShared`: there are several, and none answers for ever. */
export function createEdges(clock: Clock, { areShared }: { areShared: boolean }): Edges {
  const states = new Map<number, State>();

  function stateOf(process: number): State {
    const state = states.get(process) ?? { sites: new Map(), version: 0, answersUntil: 0 };
    states.set(process, state);
    return state;
  }

  const answers = ({ answersUntil }: State) => answersUntil > clock.elapsed();

  return {
    of: (process) => ({
      told: {
        async publish(sites) {
          stateOf(process).sites = new Map(sites.map(({ host, endpoints }) => [labelOf(host), endpoints]));
        },
        async change(sites) {
          const { sites: served } = stateOf(process);
          for (const { host, endpoints } of sites) {
            if (endpoints.length > 0) served.set(labelOf(host), endpoints);
            else served.delete(labelOf(host));
          }
          return [];
        },
      },
      renew(version) {
        const answersUntil = areShared ? clock.elapsed() + silenceMs : Number.POSITIVE_INFINITY;
        Object.assign(stateOf(process), { version, answersUntil });
      },
      othersLead: (version) =>
        [...states]
          .filter(([other, state]) => other !== process && answers(state) && state.version < version)
          .flatMap(([, { sites }]) => [...sites.values()].flat())
          .map(({ address }) => address),
      async othersServe(version, { wait, stop }) {
        const until = clock.elapsed() + 2 * silenceMs;
        const isBehind = () =>
          [...states].some(([other, state]) => other !== process && answers(state) && state.version < version);
        while (isBehind()) {
          stop?.throwIfAborted();
          if (clock.elapsed() > until) throw new Error('another edge does not confirm new routes');
          await wait(lookEveryMs, stop);
        }
      },
    }),
    answering: () => [...states.values()].filter(answers),
  };
}

function labelOf(host: string): string {
  return host.slice(0, host.indexOf('.'));
}
