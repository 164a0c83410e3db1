/** Settings about building images from source. */
import { type ListedRegistry, listedHosts } from './image-settings.ts';
import { integer, size, type Table, Unreadable } from './setting-values.ts';

export type BuildSettings = {
  builds: number;
  buildMemoryBytes: number;
  gitServers: GitServer[];
};

type GitServer = Pick<ListedRegistry, 'host' | 'plainHttp' | 'caFile'>;

export const buildTable = {
  builds: {
    variable: 'BUILDS',
    default: '2',
    help: 'how many image builds from source run at a time; 0 refuses source code',
    read: integer(0, 100),
  },
  buildMemoryBytes: {
    variable: 'BUILD_MEMORY',
    default: '2Gi',
    help: 'memory limit of an image build',
    read: size,
  },
  gitServers: {
    variable: 'GIT_SERVERS',
    default: '',
    help: 'Git servers on private addresses, from which all users may deploy: "git.lan:3000 http; git.example ca=FILE"',
    read: gitServers,
  },
} satisfies Table<BuildSettings>;

const form = 'must be Git servers such as "git.lan:3000 http; git.example ca=/etc/ca.pem"';

function gitServers(value: string): GitServer[] {
  return listedHosts(value, form).map(({ loginFile, open, ...server }) => {
    if (loginFile !== undefined || open) throw new Unreadable(form);
    return server;
  });
}
