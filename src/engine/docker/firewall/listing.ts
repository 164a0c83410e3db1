/** PURE. Reads the rules from the output of `nft --json list table`. */
import { type Egress, noEgress, openEgress, parseEgress } from '../../../deployment/workload/egress.ts';
import type { PodTargets } from '../../../deployment/workload/pod-addresses.ts';
import { readTargets, targetsMaps } from './pod-translation.ts';
import { type Bridges, type EdgePlace, edgeSets, policyChain } from './rules.ts';

export type Listing = {
  /**
   * A text of the rules without the parts that change by themselves: handles, the map of bridges, the edges, and sets
   * that the kernel fills. Equal texts mean equal rules.
   */
  shape: string;
  /** Bridge → the chain of its policy, and how often that was decided. */
  bridges: Map<string, { chain: string; turn: number }>;
  edges: EdgePlace[];
  /** Targets of the pod addresses, by bridge. */
  targets: Map<string, PodTargets>;
  /** The egress policies, by the existing chain. */
  policies: Map<string, Egress>;
};

type Entry = {
  chain?: string;
  comment?: string;
  elem?: unknown;
  expr?: unknown;
  flags?: unknown;
  handle?: unknown;
  map?: unknown;
  name?: string;
};

/** `val` with additional attributes, in the format of nft. */
type Elem = { val: unknown; comment?: string; expires?: number };

const filledByKernel = new Set(['paced', 'crowded']);

/** Throws SyntaxError if the text is not JSON. */
export function readListing(json: string): Listing {
  const { nftables } = JSON.parse(json) as { nftables: Record<string, Entry>[] };
  const bridges: Listing['bridges'] = new Map();
  const edges: EdgePlace[] = [];
  const rulesOf = new Map<string, string[]>();
  const targets: Listing['targets'] = new Map();
  const chains = new Set<string>();
  const kept: unknown[] = [];
  for (const object of nftables) {
    const [kind = '', entry = {}] = Object.entries(object)[0] ?? [];
    if (kind === 'metainfo') continue;
    const { handle: _, elem, ...rest } = entry;
    const { name = '', chain = '', comment } = rest;
    const isOfEdges = edgeSets.some((set) => set.name === name);
    if (kind === 'map' && targetsMaps.includes(name))
      for (const [bridge, read] of readTargets(elem)) targets.set(bridge, { ...targets.get(bridge), ...read });
    else if (kind === 'map') for (const [bridge, policy] of readElements(elem)) bridges.set(bridge, policy);
    if (kind === 'set' && isOfEdges) edges.push(...readEdges(elem));
    if (kind === 'chain') chains.add(name);
    if (kind === 'rule' && comment !== undefined) rulesOf.set(chain, [...(rulesOf.get(chain) ?? []), comment]);
    const isFixed = kind === 'set' && !filledByKernel.has(name) && !isOfEdges;
    kept.push({ [kind]: isFixed ? { ...rest, elem } : rest });
  }
  return { shape: JSON.stringify(kept), bridges, edges, targets, policies: readPolicies(chains, rulesOf) };
}

function readElements(elem: unknown): Listing['bridges'] {
  const elements = (Array.isArray(elem) ? elem : []) as [unknown, { goto?: { target?: string } }][];
  return new Map(
    elements.map(([key, verdict]) => {
      const { val, comment } = readElem(key);
      return [String(val), { chain: verdict.goto?.target ?? JSON.stringify(verdict), turn: Number(comment) || 0 }];
    }),
  );
}

function readEdges(elem: unknown): EdgePlace[] {
  return (Array.isArray(elem) ? elem : []).map((each) => {
    const { val, comment: of = '', expires: leftSeconds } = readElem(each);
    const place = isConcat(val) ? { address: val.concat[0], port: val.concat[1] } : { port: Number(val) };
    return { ...place, of, ...(leftSeconds !== undefined && { leftSeconds }) };
  });
}

function readElem(each: unknown): Elem {
  return isObject(each) && isObject(each.elem) ? (each.elem as Elem) : { val: each };
}

function isConcat(val: unknown): val is { concat: [string, number] } {
  return isObject(val) && Array.isArray(val.concat);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Chains with other names do not belong to Berth. */
function readPolicies(chains: ReadonlySet<string>, targets: ReadonlyMap<string, string[]>): Map<string, Egress> {
  const lists = Array.from(targets.values(), (texts) => parseEgress(texts.join()));
  const known = [noEgress, openEgress, ...lists.filter((egress) => egress !== undefined)];
  const byChain = known.map((egress) => [policyChain(egress), egress] as const);
  return new Map(byChain.filter(([chain]) => chains.has(chain)));
}

/** Returns whether the table has these rules, and every bridge has its admitted egress. */
export function isComplete(found: Listing, shape: string, wanted: Bridges): boolean {
  if (found.shape !== shape || found.bridges.size !== wanted.size) return false;
  return [...wanted].every(([bridge, { egress, turn }]) => {
    const there = found.bridges.get(bridge);
    return there?.chain === policyChain(egress) && there.turn === turn;
  });
}
