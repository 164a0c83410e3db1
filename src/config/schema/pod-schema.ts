/** The schema of a pod: its image, route, variables, files, volumes and limits. */
import { Type } from 'typebox';
import { Build } from './build-schema.ts';
import { containerFields } from './container-schema.ts';
import { podNamePattern, publicPathPattern, resourceTypes } from './field-rules.ts';
import { HealthCheck } from './health-check-schema.ts';
import {
  AbsolutePath,
  Command,
  Count,
  Cpu,
  closed,
  FileName,
  FilePath,
  labelPattern,
  Port,
  Size,
  Text,
  Vars,
  withMessage,
} from './value-schemas.ts';

const Resources = (description: string, cpu: string, memory: string) =>
  closed(
    {
      cpu: Type.Optional(Cpu),
      memory: Type.Optional(Size('Memory in bytes, with a unit.', memory)),
    },
    { description, examples: [{ cpu, memory }] },
  );

const access = {
  mode: Type.Optional(Text('Mode of the file; `0755` makes it a program. Default: `0644`.', '0755')),
  user: Type.Optional(Count('Number of the user that owns it.', 0, 999_999_999, 1000)),
  group: Type.Optional(Count('Number of the group that owns it.', 0, 999_999_999, 1000)),
};

const Secret = closed(
  {
    name: Text('Name of the secret.', 'jwt-key', { minLength: 1, ...withMessage('must not be empty') }),
    data: Text(
      'Content of the file, as it stands: base64 is not decoded. Scriptlets are replaced in it, and `${NAME}` when it is a single line.',
      '${JWT_KEY}',
    ),
    fileName: FileName('Name of the file below `mountPath`.', 'jwt.key'),
    mountPath: Type.Optional(AbsolutePath('Directory of the file. Default: `/var/secrets/<name>`.', '/var/secrets')),
    ...access,
  },
  {
    description: 'A file whose content is a secret.',
    examples: [{ name: 'jwt-key', data: '${JWT_KEY}', fileName: 'jwt.key', mountPath: '/var/secrets' }],
  },
);

const File = closed(
  {
    path: FilePath('Absolute path of the file in the container.', '/app/server.js'),
    content: Text('Content of the file. Scriptlets are replaced in it; `${…}` is left alone.', 'console.log("hello")'),
    ...access,
  },
  {
    description: 'A plain file, so that one document can carry small sources.',
    examples: [{ path: '/app/server.js', content: 'console.log("hello")' }],
  },
);

const Volume = closed(
  {
    name: Type.Optional(
      Text('Name of the volume, unique in the pod. Default: made from `mountPath`.', 'pg-data', {
        pattern: labelPattern,
        ...withMessage('must be lower-case letters, digits and hyphens'),
      }),
    ),
    size: Type.Optional(Size('Size of the volume.', '10Gi', { default: '1Gi' })),
    mountPath: AbsolutePath(
      'Directory of the volume in the container. A new volume is empty.',
      '/var/lib/postgresql/data',
    ),
    shared: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the pod shares this volume with all pods that name it with `shared: true`.',
        examples: [true],
        ...withMessage('must be true or false'),
      }),
    ),
  },
  {
    description: 'Storage that survives updates and restarts.',
    examples: [{ name: 'pg-data', size: '10Gi', mountPath: '/var/lib/postgresql/data' }],
  },
);

const Image = Text(
  'Image with its tag or digest. `<% REGISTRY %>` stands for the registry of `registryLogin`. Required, unless `build` has a `source`.',
  'node:26-slim',
  { minLength: 1, ...withMessage('must name an image') },
);

export const Pod = closed(
  {
    name: Text('Name of the pod, unique in the application. Other pods reach it as `<name>.pod`.', 'web', {
      pattern: podNamePattern,
      ...withMessage(
        'must be 2 to 63 lower-case letters, digits and hyphens, begin with a letter and not end with a hyphen',
      ),
    }),
    image: Type.Optional(Image),
    build: Type.Optional(Build),
    path: Type.Optional(
      Text(
        'Public route, by longest prefix; the pod receives the whole path, unless `stripPrefix` is set. Pods without one are internal.',
        '/',
        {
          pattern: publicPathPattern,
          ...withMessage('must begin with a slash and hold no spaces, `?`, `#` or `%`'),
        },
      ),
    ),
    stripPrefix: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the pod receives the path without its route: `/api/users` of `path: /api` as `/users`. The header `X-Forwarded-Prefix` contains what was removed. The route has at most 5 segments.',
        examples: [true],
        ...withMessage('must be true or false'),
      }),
    ),
    sticky: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether requests from one client address go to the same replica. They go to another one when the number of replicas changes or a replica is replaced.',
        examples: [true],
        ...withMessage('must be true or false'),
      }),
    ),
    servicePorts: Type.Optional(
      Type.Array(Port('A port that the pod listens on.'), {
        maxItems: 50,
        description:
          'Ports that the pod listens on. The first port serves HTTP and is the one for the readiness check.',
        examples: [[3000]],
        default: [],
        ...withMessage('must be a list of at most 50 ports'),
      }),
    ),
    vars: Type.Optional(Vars),
    command: Type.Optional(
      Command(
        'Overrides the CMD of the image. A text is split into words like in a shell, without expansion.',
        'node /app/server.js',
      ),
    ),
    entrypoint: Type.Optional(Command('Overrides the ENTRYPOINT of the image.', '/bin/sh')),
    secrets: Type.Optional(
      Type.Array(Secret, {
        maxItems: 200,
        default: [],
        description: 'Files whose content is a secret.',
        ...withMessage('must be a list of at most 200 files'),
      }),
    ),
    files: Type.Optional(
      Type.Array(File, {
        maxItems: 200,
        default: [],
        description: 'Plain files.',
        ...withMessage('must be a list of at most 200 files'),
      }),
    ),
    volumes: Type.Optional(
      Type.Array(Volume, {
        maxItems: 50,
        default: [],
        description: 'Storage that survives updates and restarts.',
        ...withMessage('must be a list of at most 50 volumes'),
      }),
    ),
    resourceType: Type.Optional(
      Type.Enum([...resourceTypes], {
        default: 'deployment',
        description:
          'How the pod runs. `statefulset`: each replica has its own volumes and name (`<pod>-0.pod`) and starts when the previous replica is ready. `daemonset`: one replica on each machine. `job`: runs once until it ends.',
        examples: ['statefulset'],
        ...withMessage(`must be one of ${resourceTypes.join(', ')}`),
      }),
    ),
    replicas: Type.Optional(Count('Number of replicas.', 1, 20, 1)),
    resources: Type.Optional(
      closed(
        {
          requests: Type.Optional(Resources('Resources that are reserved for the pod.', '100m', '128Mi')),
          limits: Type.Optional(Resources('The maximum resources of the pod.', '1', '512Mi')),
        },
        {
          description: 'Processors and memory.',
          examples: [{ requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } }],
        },
      ),
    ),
    healthCheck: Type.Optional(HealthCheck),
    useGPU: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the pod needs a GPU.',
        examples: [true],
        ...withMessage('must be true or false'),
      }),
    ),
    subdomain: Type.Optional(
      Text('Serves the pod at this name below the custom domain `url`, once that name is proven, too.', 'admin', {
        pattern: labelPattern,
        ...withMessage('must be a DNS label: lower-case letters, digits and hyphens'),
      }),
    ),
    dependsOn: Type.Optional(
      Type.Array(Text('Name of a pod.', 'db'), {
        maxItems: 50,
        default: [],
        description: 'Pods that must be ready before this pod starts. Default: the pods that this pod refers to.',
        examples: [['db']],
        ...withMessage('must be a list of pod names'),
      }),
    ),
    restartsWith: Type.Optional(
      Type.Array(Text('Name of a pod.', 'db'), {
        maxItems: 50,
        default: [],
        description:
          'Pods of `dependsOn` with which this one is restarted: when an update or a restart replaces one of them, this pod is replaced too.',
        examples: [['db']],
        ...withMessage('must be a list of pod names'),
      }),
    ),
    workingDir: Type.Optional(AbsolutePath("Directory that the process starts in. Default: the image's.", '/app')),
    user: Type.Optional(
      Text("User, or `user:group`, that the process runs as. Default: the image's.", '1000:1000', {
        pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*(?::[A-Za-z0-9_][A-Za-z0-9_.-]*)?$',
        ...withMessage('must be a user or user:group'),
      }),
    ),
    ...containerFields,
    aliases: Type.Optional(
      Type.Array(
        Text('A host name.', 'database', { pattern: '^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$' }),
        {
          maxItems: 50,
          default: [],
          description: 'Additional names at which other pods reach this pod.',
          examples: [['database']],
          ...withMessage('must be a list of host names'),
        },
      ),
    ),
  },
  {
    description: 'One container image with its settings.',
    if: {
      properties: { build: { type: 'object', properties: { source: {} }, required: ['source'] } },
      required: ['build'],
    },
    else: { properties: { image: Image }, required: ['image'] },
    examples: [{ name: 'web', image: 'nginx:1', path: '/', servicePorts: [80] }],
  },
);
