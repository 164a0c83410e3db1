/** PURE. What `nft --json list table` says, reduced to what the rules mean. */

export type Listing = {
  /** Everything but what changes without us: handles, the map of bridges, sets that the kernel fills. Equal texts, equal rules. */
  shape: string;
  /** Bridge → the chain of its policy. */
  bridges: Map<string, string>;
};

type Entry = { flags?: unknown; map?: unknown; elem?: unknown; handle?: unknown; name?: string };

/** Throws SyntaxError for what is no JSON. */
export function readListing(json: string): Listing {
  const { nftables } = JSON.parse(json) as { nftables: Record<string, Entry>[] };
  const bridges = new Map<string, string>();
  const kept: unknown[] = [];
  for (const object of nftables) {
    const [kind = '', entry = {}] = Object.entries(object)[0] ?? [];
    if (kind === 'metainfo') continue;
    const { handle: _, elem, ...rest } = entry;
    if (kind === 'map') for (const [bridge, chain] of readElements(elem)) bridges.set(bridge, chain);
    const isFixed = kind === 'set' && rest.name !== 'paced';
    kept.push({ [kind]: isFixed ? { ...rest, elem } : rest });
  }
  return { shape: JSON.stringify(kept), bridges };
}

function readElements(elem: unknown): [string, string][] {
  if (!Array.isArray(elem)) return [];
  return elem.map(([bridge, verdict]: [string, { goto?: { target?: string } }]) => [
    bridge,
    verdict.goto?.target ?? JSON.stringify(verdict),
  ]);
}
