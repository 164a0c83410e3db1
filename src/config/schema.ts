/**
 * The schema of the configuration document: the one source of its types, its validation and `GET /schema`.
 * A pattern or union has an `x-says` beside it, the words in which a violation is reported.
 */
import { type Static, type TProperties, Type } from 'typebox';

const closed = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });

const says = (words: string) => ({ 'x-says': words });

/** One path segment characters as in RFC 3986 (pchar), without percent-encoding: prefixes are compared literally. */
export const publicPathPattern = "^/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]+(?:/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*/?)?$";
const absolutePathPattern = '^/[^\\u0000-\\u001f]*$';

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], says('must be a scalar'));

const Vars = Type.Union(
  [
    Type.Record(Type.String(), Scalar),
    Type.Array(Type.Object({ key: Type.String(), value: Type.Optional(Scalar) }, { additionalProperties: false })),
    Type.Array(Type.Record(Type.String(), Scalar, { minProperties: 1, maxProperties: 1 })),
  ],
  {
    description: 'Environment variables. `<% URL %>`, `<% DOMAIN %>` and `<% REGISTRY %>` are replaced in the values.',
    examples: [{ NODE_ENV: 'production', API_URL: '<% URL %>/api' }],
    ...says('must be a map of names to scalars'),
  },
);

const Command = (description: string, example: string) =>
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description,
    examples: [example],
    ...says('must be a string or a list of strings'),
  });

const Cpu = Type.Union(
  [Type.String({ pattern: '^(?:\\d+m|\\d+(?:\\.\\d+)?)$' }), Type.Number({ exclusiveMinimum: 0 })],
  {
    description: 'Processors: a number of cores, or thousandths with an `m`.',
    examples: ['500m', '1', 0.5],
    ...says('must be cores such as 0.5 or thousandths such as 500m'),
  },
);

export const sizePattern = '^\\d+(?:\\.\\d+)?(?:[kKMGT]i?|[KMGT]i?B)?$';

const Size = (description: string, example: string) =>
  Type.Union([Type.String({ pattern: sizePattern }), Type.Integer({ minimum: 1 })], {
    description,
    examples: [example],
    ...says('must be a size such as 512Mi or 1Gi'),
  });

const Resources = closed(
  { cpu: Type.Optional(Cpu), memory: Type.Optional(Size('Memory in bytes, with a unit.', '256Mi')) },
  'Processors and memory.',
);

const Port = Type.Integer({ minimum: 1, maximum: 65535, ...says('must be a port from 1 to 65535') });

const Secret = closed(
  {
    name: Type.String({ minLength: 1, description: 'Name of the secret.', examples: ['jwt-key'] }),
    data: Type.String({ description: 'Content of the file, as it stands (base64 is not decoded).' }),
    fileName: Type.String({
      pattern: '^(?!\\.{1,2}$)[^/\\u0000-\\u001f]+$',
      description: 'Name of the file below `mountPath`.',
      examples: ['jwt.key'],
      ...says('must be a file name without a slash'),
    }),
    mountPath: Type.Optional(
      Type.String({
        pattern: absolutePathPattern,
        description: 'Directory of the file. Default: `/var/secrets/<name>`.',
        examples: ['/var/secrets/jwt-key'],
        ...says('must be an absolute path'),
      }),
    ),
  },
  'A file whose content is a secret.',
);

const File = closed(
  {
    path: Type.String({
      pattern: '^/[^\\u0000-\\u001f]*[^/\\u0000-\\u001f]$',
      description: 'Absolute path of the file in the container.',
      examples: ['/app/server.js'],
      ...says('must be an absolute path of a file'),
    }),
    content: Type.String({ description: 'Content of the file; scriptlets are replaced in it.' }),
  },
  'A plain file, so that one document can carry small sources.',
);

const Volume = closed(
  {
    name: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
        description: 'Name of the volume, unique in the pod. Default: made from `mountPath`.',
        examples: ['pg-data'],
        ...says('must be lower-case letters, digits and hyphens'),
      }),
    ),
    size: Type.Optional(Size('Size of the volume. Default: `1Gi`.', '1Gi')),
    mountPath: Type.String({
      pattern: absolutePathPattern,
      description: 'Directory of the volume in the container.',
      examples: ['/var/lib/postgresql/data'],
      ...says('must be an absolute path'),
    }),
  },
  'Storage that survives updates and restarts.',
);

const HealthCheck = closed(
  {
    path: Type.String({ pattern: '^/[^\\s]*$', description: 'Path to GET.', examples: ['/healthz'] }),
    port: Type.Optional({ ...Port, description: 'Port to ask. Default: the first of `servicePorts`.' }),
    initialDelaySeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600, default: 0 })),
    periodSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600, default: 10 })),
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600, default: 5 })),
    failureThreshold: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 3 })),
  },
  'When the pod is ready: an HTTP GET that answers 2xx or 3xx. Without it: a connection to the first port.',
);

const podNamePattern = '^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$';

const Pod = closed(
  {
    name: Type.String({
      pattern: podNamePattern,
      description: 'Name of the pod, unique in the application; other pods reach it as `<name>.pod`.',
      examples: ['web'],
      ...says('must be 2 to 63 lower-case letters, digits and hyphens, begin with a letter and not end with a hyphen'),
    }),
    image: Type.String({
      minLength: 1,
      description: 'Image with its tag or digest. `<% REGISTRY %>` stands for the registry of `registryLogin`.',
      examples: ['node:26-slim', '<% REGISTRY %>/org/app:1.2'],
      ...says('must name an image'),
    }),
    path: Type.Optional(
      Type.String({
        pattern: publicPathPattern,
        description: 'Public route, by longest prefix. Pods without one are internal.',
        examples: ['/', '/api'],
        ...says('must begin with a slash and hold no spaces, `?`, `#` or `%`'),
      }),
    ),
    servicePorts: Type.Optional(
      Type.Array(Port, {
        uniqueItems: true,
        maxItems: 50,
        description: 'Ports that the pod listens on; the first one is the HTTP one.',
        examples: [[3000]],
      }),
    ),
    vars: Type.Optional(Vars),
    command: Type.Optional(Command("Replaces the image's CMD. A string is split as POSIX does.", 'node server.js')),
    entrypoint: Type.Optional(Command("Replaces the image's ENTRYPOINT.", '/bin/sh')),
    secrets: Type.Optional(Type.Array(Secret)),
    files: Type.Optional(Type.Array(File)),
    volumes: Type.Optional(Type.Array(Volume)),
    resourceType: Type.Optional(
      Type.Enum(['deployment', 'statefulset', 'daemonset', 'job'], {
        default: 'deployment',
        description: 'How the pod runs; a job runs once, to its end.',
      }),
    ),
    replicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 1, description: 'How many of it run.' })),
    resources: Type.Optional(
      closed({ requests: Type.Optional(Resources), limits: Type.Optional(Resources) }, 'Requests and limits.'),
    ),
    healthCheck: Type.Optional(HealthCheck),
    useGPU: Type.Optional(Type.Boolean({ default: false, description: 'Whether the pod needs a GPU.' })),
    subdomain: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
        description: 'Serves the pod below the custom domain `url`.',
        examples: ['admin'],
        ...says('must be a DNS label'),
      }),
    ),
    dependsOn: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Pods that must be ready before this one starts. Without it, pods start after those they name.',
        examples: [['db']],
      }),
    ),
  },
  'One container image with its settings.',
);

export const ConfigurationSchema = Type.Object(
  {
    application: closed(
      {
        name: Type.String({
          pattern: '^[a-z][a-z0-9.-]{1,62}[a-z0-9]$',
          description: 'Name of the application; part of its URL.',
          examples: ['shop'],
          ...says(
            'must be 3 to 64 lower-case letters, digits, dots and hyphens, begin with a letter and end with a letter or digit',
          ),
        }),
        url: Type.Optional(Type.String({ description: 'A custom domain.', examples: ['shop.example.com'] })),
        version: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'Accepted and not needed.' })),
        registryLogin: Type.Optional(
          closed(
            {
              registry: Type.String({ minLength: 1, description: 'Registry host.', examples: ['ghcr.io'] }),
              username: Type.String({ minLength: 1, description: 'User name there.' }),
              personalAccessToken: Type.String({ minLength: 1, description: 'Token with the right to pull.' }),
            },
            'Credentials for private images, used for the pulls of this application only.',
          ),
        ),
        pods: Type.Array(Pod, { minItems: 1, maxItems: 50, description: 'The pods of the application.' }),
      },
      'One application.',
    ),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Berth configuration',
    description: 'One application: its pods, their images, routes, variables, files and volumes.',
    additionalProperties: false,
  },
);

/** The document as written, valid by the schema; `config/spec.ts` has the normalised form. */
export type Configuration = Static<typeof ConfigurationSchema>;
export type PodConfiguration = Configuration['application']['pods'][number];
