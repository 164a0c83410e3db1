/** Settings about clients: request limits, and how a client's address is determined. */
import { maxDocumentBytes } from '../config/document/source.ts';
import { overlap, without } from '../lib/ip-networks.ts';
import type { ProofSettings } from '../lib/proof-of-work.ts';
import type { Rate } from '../lib/rate-limit.ts';
import {
  byteRate,
  fieldGroup,
  integer,
  networks,
  proofOfWork,
  rate,
  type SettingGroup,
  type Table,
  Unreadable,
} from './setting-values.ts';

type ClientLimits = {
  startRate: Rate;
  rate: Rate;
  documentRate: Rate;
  guessRate: Rate;
  signInRate: Rate;
  clientConnections: number;
};

type Proxies = { trustedProxies: string[]; proxyProtocol: boolean };

export type ClientSettings = ClientLimits & Proxies & { proofOfWork: ProofSettings };

export const clientTable = {
  clientLimits: fieldGroup<ClientLimits>(
    'CLIENT_LIMITS',
    'limits per client address: deployment starts; other requests (also per session token); bytes of configuration documents; requests for sites that do not exist, above which the client reaches only sites that it has visited; sign-ins and sign-ups; concurrent connections to all applications and the API',
    {
      startRate: { name: 'starts', default: '10/m', read: rate },
      rate: { name: 'requests', default: '120/m', read: rate },
      documentRate: { name: 'documents', default: '4Mi/m', read: byteRate(maxDocumentBytes) },
      guessRate: { name: 'guesses', default: '30/m', read: rate },
      signInRate: { name: 'sign-ins', default: '10/m', read: rate },
      clientConnections: { name: 'connections', default: '256', read: integer(1, 100_000) },
    },
  ),
  proofOfWork: {
    variable: 'POW',
    default: 'off',
    help: 'proof of work on starts: off, auto (when the host is busy), always, or a cost (2000 takes about a second)',
    read: proofOfWork,
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    default: 'none',
    help: 'proxies whose forwarded client addresses are trusted: addresses and networks such as 10.0.0.2,fd00::/8; with "proxy-protocol" at the end, they start each connection with the PROXY protocol',
    isGroup: true,
    read: proxies,
  },
} satisfies Table<{ proofOfWork: ProofSettings; clientLimits: ClientLimits }> & {
  trustedProxies: SettingGroup<Proxies>;
};

/** `10.0.0.2,fd00::/8 proxy-protocol` */
function proxies(value: string): Proxies {
  const [, listed = '', protocol] = /^(.*?)( +proxy-protocol)?$/.exec(value.trim()) ?? [];
  const trustedProxies = networks(listed);
  const proxyProtocol = protocol !== undefined;
  if (proxyProtocol && trustedProxies.length === 0)
    throw new Unreadable('must list proxies before proxy-protocol: only trusted proxies may use the protocol');
  return { trustedProxies, proxyProtocol };
}

export function clientMistakes(settings: Partial<ClientSettings> & { networkPool?: string }): string[] {
  const { trustedProxies = [], networkPool } = settings;
  return networkPool ? trustedContainers(trustedProxies, networkPool) : [];
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
