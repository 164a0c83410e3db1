/** Settings about clients: request limits, and how a client's address is determined. */
import { maxDocumentBytes } from '../config/document/source.ts';
import { overlap, without } from '../lib/ip-networks.ts';
import type { ProofSettings } from '../lib/proof-of-work.ts';
import type { Rate } from '../lib/rate-limit.ts';
import { byteRate, flag, integer, networks, proofOfWork, rate, type Setting } from './setting-values.ts';

export type ClientSettings = {
  startRate: Rate;
  rate: Rate;
  documentRate: Rate;
  guessRate: Rate;
  proofOfWork: ProofSettings;
  trustedProxies: string[];
  proxyProtocol: boolean;
  clientConnections: number;
};

export const clientTable = {
  startRate: { variable: 'START_RATE', default: '10/m', help: 'deployment starts per client address', read: rate },
  rate: {
    variable: 'RATE',
    default: '120/m',
    help: 'other requests per client address, and requests per session token',
    read: rate,
  },
  documentRate: {
    variable: 'DOCUMENT_RATE',
    default: '4Mi/m',
    help: 'bytes of configuration documents per client address',
    read: byteRate(maxDocumentBytes),
  },
  guessRate: {
    variable: 'GUESS_RATE',
    default: '30/m',
    help: 'requests per client address for sites that do not exist; above it, the client reaches only sites that it has visited',
    read: rate,
  },
  proofOfWork: {
    variable: 'POW',
    default: 'off',
    help: 'proof of work on starts: off, auto (when the host is busy), always, or a cost (2000 takes about a second)',
    read: proofOfWork,
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    default: 'none',
    help: 'proxies whose forwarded client addresses are trusted: addresses and networks such as 10.0.0.2,fd00::/8',
    read: networks,
  },
  proxyProtocol: {
    variable: 'PROXY_PROTOCOL',
    default: '0',
    help: '1: trusted proxies start each connection with the PROXY protocol',
    read: flag,
  },
  clientConnections: {
    variable: 'CLIENT_CONNECTIONS',
    default: '256',
    help: 'concurrent connections per client address, to all applications and the API',
    read: integer(1, 100_000),
  },
} satisfies { [K in keyof ClientSettings]: Setting<ClientSettings[K]> };

export function clientMistakes(settings: Partial<ClientSettings> & { networkPool?: string }): string[] {
  const { proxyProtocol, trustedProxies = [], networkPool } = settings;
  return [
    ...(proxyProtocol && settings.trustedProxies?.length === 0
      ? ['BERTH_PROXY_PROTOCOL needs BERTH_TRUSTED_PROXIES: only trusted proxies may use the protocol']
      : []),
    ...(networkPool ? trustedContainers(trustedProxies, networkPool) : []),
  ];
}

/** Reports a list that is too wide. The edge never trusts containers, even if the list includes them. */
function trustedContainers(trustedProxies: string[], networkPool: string): string[] {
  return trustedProxies
    .filter((network) => overlap(network, networkPool))
    .map((network) => {
      const rest = network.includes(':') ? [] : without(network, networkPool);
      const what = `includes the containers of applications (BERTH_NETWORK_POOL, ${networkPool}), which could then forge client addresses`;
      const remedy = `write the addresses of the proxies${rest.length > 0 ? ` alone, or ${rest.join(',')}` : ''}`;
      return `BERTH_TRUSTED_PROXIES: ${network} ${what}; ${remedy}`;
    });
}
