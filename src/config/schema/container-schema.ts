/** The schema of container options other than the image and limits. */
import { Type } from 'typebox';
import { AbsolutePath, Count, closed, Scalar, Size, Text, withMessage } from './value-schemas.ts';

const Tmpfs = closed(
  {
    mountPath: AbsolutePath('Directory in the container.', '/tmp'),
    size: Type.Optional(Size('Size of the directory. Default: half of the memory of the pod.', '64Mi')),
    mode: Type.Optional(Text('Mode of the directory. Default: `1777`.', '1777')),
    user: Type.Optional(Count('Numeric ID of the owning user.', 0, 2 ** 31 - 1, 0)),
    group: Type.Optional(Count('Numeric ID of the owning group.', 0, 2 ** 31 - 1, 0)),
    executable: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether programs in the directory can be executed.',
        examples: [true],
        ...withMessage('must be true or false'),
      }),
    ),
  },
  { description: 'A directory in memory.', examples: [{ mountPath: '/tmp', size: '64Mi' }] },
);

const Names = (description: string, examples: Record<string, unknown>[], words: string) =>
  Type.Record(Type.String(), Scalar, { description, examples, default: {}, maxProperties: 50, ...withMessage(words) });

/** Fields of a pod. */
export const containerFields = {
  shmSize: Type.Optional(Size('Size of `/dev/shm`, which counts as memory of the pod.', '256Mi', { default: '64Mi' })),
  tmpfs: Type.Optional(
    Type.Array(Tmpfs, {
      maxItems: 20,
      default: [],
      description: 'Directories in memory. They are empty at each start and count toward the memory of the pod.',
      ...withMessage('must be a list of at most 20 directories'),
    }),
  ),
  readOnly: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the root file system is read-only. Volumes and `tmpfs` stay writable, and so does `/tmp`, which is then in memory.',
      examples: [true],
      ...withMessage('must be true or false'),
    }),
  ),
  stopSignal: Type.Optional(Text("Signal that stops the process. Default: the image's.", 'SIGQUIT')),
  hostname: Type.Optional(Text('Hostname of the container. Default: the name of the pod.', 'broker1')),
  domainname: Type.Optional(Text('Domain name of the container.', 'example.org')),
  mayEnd: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the container may end: after an exit with code 0, it is not restarted and counts as ready.',
      examples: [true],
      ...withMessage('must be true or false'),
    }),
  ),
  stopGraceSeconds: Type.Optional(Count('Seconds between the stop signal and the kill.', 0, 30, 10)),
  ulimits: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([
        Type.Integer(),
        closed(
          {
            soft: Type.Optional(
              Type.Integer({ description: 'The soft limit, which the process can raise.', examples: [1024] }),
            ),
            hard: Type.Optional(Type.Integer({ description: 'The hard limit.', examples: [4096] })),
          },
          {},
        ),
      ]),
      {
        description:
          'Limits of each process: `nofile` (at most 16384), `core` (0), `cpu`, `fsize`, `stack`, `data`; a number, or `soft` and `hard`.',
        examples: [{ nofile: 4096 }],
        default: {},
        maxProperties: 50,
        ...withMessage('must be a map of names to numbers, or to maps of soft and hard'),
      },
    ),
  ),
  groups: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      maxItems: 20,
      default: [],
      description: 'Additional groups of the user, by name or number.',
      examples: [['www-data', 1000]],
      ...withMessage('must be a list of at most 20 groups'),
    }),
  ),
  extraHosts: Type.Optional(
    Names(
      'Additional host names for public addresses or for other pods.',
      [{ 'api.example.com': '203.0.113.7', 'db.local': 'db' }],
      'must be a map of at most 50 names to addresses',
    ),
  ),
  sysctls: Type.Optional(
    Names(
      'Kernel settings of the network of the container, such as `net.core.somaxconn`.',
      [{ 'net.core.somaxconn': 1024 }],
      'must be a map of at most 50 names to values',
    ),
  ),
};
