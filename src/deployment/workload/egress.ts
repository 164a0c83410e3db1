/** PURE. Egress: what the containers of a deployment may connect to, except each other. */
import { isIP } from 'node:net';

export type Egress =
  /** The public internet without mail ports, and the deployment's public address. */
  | { kind: 'open' }
  /** No connections. */
  | { kind: 'none' }
  /** Only these networks, and the deployment's public address. */
  | { kind: 'only'; to: EgressTarget[] };

export type EgressTarget = {
  family: 4 | 6;
  /** `203.0.113.0/24` */
  cidr: string;
  /** A port of TCP and UDP; default: all ports and protocols. */
  port?: number;
};

export const openEgress: Egress = { kind: 'open' };
export const noEgress: Egress = { kind: 'none' };

/** An operator who needs more uses a separate firewall. */
const maxTargets = 100;

/**
 * Parses `open`, `none`, or a comma-separated list of networks and addresses with optional ports:
 * `203.0.113.0/24:443,198.51.100.7,[2001:db8::/32]:443`. Returns undefined for any other text.
 */
export function parseEgress(text: string): Egress | undefined {
  if (text === 'open' || text === 'none') return { kind: text };
  const to = text.split(',').map((part) => parseTarget(part.trim()));
  if (to.length > maxTargets) return undefined;
  const known = to.filter((target) => target !== undefined);
  return known.length === to.length ? { kind: 'only', to: known } : undefined;
}

/** Returns the text that `parseEgress` reads. Equal lists have equal texts. */
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
