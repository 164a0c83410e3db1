/** Settings about building images from source. */
import { isIPv4 } from 'node:net';
import { type ListedRegistry, listedHosts } from './image-settings.ts';
import { size, type Table, Unreadable } from './setting-values.ts';

export type BuildSettings = {
  /** `inGvisor`: in any case. Otherwise, builds run in the runtime of pods. `memoryBytes`: the limit of one build. */
  builds: { atATime: number; inGvisor: boolean; memoryBytes: number };
  gitServers: GitServer[];
  buildProxy: { address: string; port: number } | undefined;
};

type GitServer = Pick<ListedRegistry, 'host' | 'plainHttp' | 'caFile'>;

export const buildTable = {
  builds: {
    variable: 'BUILDS',
    default: '2 memory=2Gi',
    help: 'how many image builds from source run at a time, and the memory limit of each; `2 memory=2Gi gvisor` runs them in gVisor; 0 refuses source code',
    read: builds,
  },
  gitServers: {
    variable: 'GIT_SERVERS',
    default: '',
    help: 'Git servers on private addresses, from which all users may deploy: "git.lan:3000 http; git.example ca=FILE"',
    read: gitServers,
  },
  buildProxy: {
    variable: 'BUILD_PROXY',
    default: '',
    help: 'HTTP proxy or package cache that image builds use, such as http://10.0.0.5:3128; builds of all users reach it',
    read: buildProxy,
  },
} satisfies Table<BuildSettings>;

function builds(value: string): BuildSettings['builds'] {
  const [, count = '', memory = '2Gi', gvisor] = /^(\d{1,3})(?: +memory=(\S+))?( +gvisor)?$/.exec(value) ?? [];
  if (count === '' || Number(count) > 100)
    throw new Unreadable('must be a number from 0 to 100, then "memory=2Gi" or "gvisor" or both, if wanted');
  return { atATime: Number(count), inGvisor: gvisor !== undefined, memoryBytes: size(memory) };
}

const form = 'must be Git servers such as "git.lan:3000 http; git.example ca=/etc/ca.pem"';

function gitServers(value: string): GitServer[] {
  return listedHosts(value, form).map(({ loginFile, open, ...server }) => {
    if (loginFile !== undefined || open) throw new Unreadable(form);
    return server;
  });
}

/** The firewall opens exactly this address and port, so it is not a name. Users can read it, so it contains no password. */
function buildProxy(value: string): BuildSettings['buildProxy'] {
  const [, address = '', port] = /^http:\/\/([\d.]+):(\d{1,5})\/?$/.exec(value) ?? [];
  const isUsable = isIPv4(address) && !/^(?:127|0)\./.test(address) && Number(port) >= 1 && Number(port) <= 65_535;
  if (isUsable) return { address, port: Number(port) };
  throw new Unreadable(
    'must be http:// with an IPv4 address outside of loopback and a port, such as http://10.0.0.5:3128',
  );
}
