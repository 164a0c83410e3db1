/** PURE. Egress: what the containers of a deployment may reach beside one another. */
import { isIP } from 'node:net';

export type Egress =
  /** The public internet, but for mail; the site's own public address. */
  | { kind: 'open' }
  /** Nothing. */
  | { kind: 'none' }
  /** These networks and no others; the site's own public address. */
  | { kind: 'only'; to: EgressTarget[] };

export type EgressTarget = {
  family: 4 | 6;
  /** `203.0.113.0/24` */
  cidr: string;
  /** Of TCP and UDP; default: all ports, and all protocols. */
  port?: number;
};

export const openEgress: Egress = { kind: 'open' };
export const noEgress: Egress = { kind: 'none' };

/** More would be a firewall of the operator's own. */
const maxTargets = 100;

/**
 * `open`, `none`, or networks and addresses with a comma between them, each with a port or without:
 * `203.0.113.0/24:443,198.51.100.7,[2001:db8::/32]:443`. Undefined for anything else.
 */
export function parseEgress(text: string): Egress | undefined {
  if (text === 'open' || text === 'none') return { kind: text };
  const to = text.split(',').map((part) => parseTarget(part.trim()));
  if (to.length > maxTargets) return undefined;
  const known = to.filter((target) => target !== undefined);
  return known.length === to.length ? { kind: 'only', to: known } : undefined;
}

/** The text that `parseEgress` reads: equal for what lets out the same things in the same order. */
export function printEgress(egress: Egress): string {
  if (egress.kind !== 'only') return egress.kind;
  return egress.to
    .map(({ family, cidr, port }) => {
      const network = family === 6 ? `[${cidr}]` : cidr;
      return port === undefined ? network : `${network}:${port}`;
    })
    .join(',');
}

const targetForm = /^(?:\[(?<v6>[0-9a-fA-F:.]+(?:\/\d{1,3})?)\]|(?<v4>[0-9.]+(?:\/\d{1,2})?))(?::(?<port>\d{1,5}))?$/;

function parseTarget(text: string): EgressTarget | undefined {
  const { v4, v6, port } = targetForm.exec(text)?.groups ?? {};
  const [address = '', length] = (v4 ?? v6 ?? '').split('/');
  const family = isIP(address);
  if (family !== (v4 === undefined ? 6 : 4)) return undefined;
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))) return undefined;
  return { family, cidr: `${address.toLowerCase()}/${prefix}`, ...(port !== undefined && { port: Number(port) }) };
}
