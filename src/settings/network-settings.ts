/** Settings about the networks of applications: addresses, egress and resolvers. */
import type { Egress } from '../deployment/workload/egress.ts';
import { domainResolvers, egress, network, resolvers, type Table, type Unsafe, unsafe } from './setting-values.ts';

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
    help: "address range for the applications' networks",
    read: network,
  },
  egress: {
    variable: 'EGRESS',
    default: 'open',
    help: 'destinations that applications may reach: open (the public internet), none, or 203.0.113.0/24:443,…',
    read: egress,
  },
  resolvers: {
    variable: 'RESOLVERS',
    default: '',
    help: "DNS resolvers for applications, such as 9.9.9.9,149.112.112.112; default: this machine's resolvers",
    read: resolvers,
  },
  domainResolvers: {
    variable: 'DOMAIN_RESOLVERS',
    default: '',
    help: "DNS resolvers for checks of custom domains, such as 9.9.9.9,[2620:fe::fe]:53; default: this machine's resolvers",
    read: domainResolvers,
  },
  allowUnsafe: {
    variable: 'ALLOW_UNSAFE',
    default: '0',
    help: 'start in spite of a failed check: firewall (pods without a firewall), domain (applications on the domain of the API), 1 for both; cluster (Kubernetes: restart all deployments on another cluster)',
    read: unsafe,
  },
} satisfies Table<NetworkSettings>;
