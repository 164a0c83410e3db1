/** The settings about the networks of applications: their addresses, and what they may reach. */
import type { Egress } from '../deployment/workload/egress.ts';
import { domainResolvers, egress, network, resolvers, type Setting, type Unsafe, unsafe } from './setting-values.ts';

export type NetworkSettings = {
  networkPool: string;
  egress: Egress;
  resolvers: string[] | undefined;
  domainResolvers: string[] | undefined;
  allowUnsafe: Unsafe[];
};

export const networkTable = {
  networkPool: {
    variable: 'NETWORK_POOL',
    default: '10.200.0.0/13',
    help: "addresses for the applications' networks",
    read: network,
  },
  egress: {
    variable: 'EGRESS',
    default: 'open',
    help: 'what applications may reach: open (the public internet), none, or 203.0.113.0/24:443,…',
    read: egress,
  },
  resolvers: {
    variable: 'RESOLVERS',
    default: '',
    help: 'whom applications ask about names, such as 9.9.9.9,149.112.112.112; default: whom this machine asks',
    read: resolvers,
  },
  domainResolvers: {
    variable: 'DOMAIN_RESOLVERS',
    default: '',
    help: 'whom the service asks about custom domains, such as 9.9.9.9,[2620:fe::fe]:53; default: whom this machine asks',
    read: domainResolvers,
  },
  allowUnsafe: {
    variable: 'ALLOW_UNSAFE',
    default: '0',
    help: 'serve all the same: firewall (none around pods), domain (applications on the domain of the API), 1 for both; cluster (on Kubernetes, start all anew on another one)',
    read: unsafe,
  },
} satisfies { [K in keyof NetworkSettings]: Setting<NetworkSettings[K]> };
