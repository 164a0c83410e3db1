import fc from 'fast-check';
import type {
  AppSpec,
  ContainerOptions,
  FileSpec,
  PodSpec,
  TmpfsSpec,
  Ulimit,
  VolumeSpec,
} from '../../src/config/spec/spec.ts';

const label = (max = 20) => fc.stringMatching(new RegExp(`^[a-z][a-z0-9-]{0,${max - 2}}[a-z0-9]$`));
/** Any text a value can have: with quotes, colons, line breaks, variables and scriptlets. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc
      .array(
        fc.constantFrom(
          'a',
          ' ',
          '\n',
          ': ',
          '#',
          ' #',
          "'",
          '"',
          '\\',
          '$',
          '${A}',
          '$${',
          '{',
          '}',
          '<% URL %>',
          '<%DOMAIN%>',
          '- ',
          '*',
          '&',
          '1.10',
          'true',
          '~',
          '\t',
          '%',
          '@',
          '|',
          '<% SECRET A_KEY %>',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )
  .filter(
    (value) => !value.includes('\0') && isWellFormed(value) && !/<%(?!\s?(?:URL|DOMAIN|SECRET A_KEY)\s?%>)/.test(value),
  );

function isWellFormed(value: string): boolean {
  return value.isWellFormed();
}

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,12}$/);
const segment = fc.stringMatching(/^[a-z0-9_.-]{1,8}$/).filter((part) => !/^\.+$/.test(part));
const directory = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/srv/${parts.join('/')}`);
const amounts = fc.record(
  { cpuMillis: fc.integer({ min: 1, max: 64_000 }), memoryBytes: fc.integer({ min: 6 * 2 ** 20, max: 2 ** 40 }) },
  { requiredKeys: [] },
);

const times = (longest: number) => ({
  initialDelaySeconds: fc.integer({ min: 0, max: 3600 }),
  periodSeconds: fc.integer({ min: 1, max: longest }),
  timeoutSeconds: fc.integer({ min: 1, max: longest }),
  failureThreshold: fc.integer({ min: 1, max: 100 }),
});

const healthCheck = fc.oneof(
  fc.record({
    path: fc.constantFrom('/', '/healthz', '/a/b?c=d'),
    port: fc.integer({ min: 1, max: 65_535 }),
    ...times(3600),
  }),
  fc.record({ command: fc.array(text, { maxLength: 3 }).map((words) => ['check', ...words]), ...times(60) }),
  fc.record({ startPeriodSeconds: fc.integer({ min: 0, max: 3600 }) }),
  fc.constant({ disabled: true as const }),
);

const tmpfs = fc.record(
  {
    mountPath: label().map((name) => `/mem/${name}`),
    sizeBytes: fc.integer({ min: 1, max: 6 * 2 ** 20 }),
    mode: fc.constantFrom('755', '1777'),
    user: fc.nat(65_535),
    group: fc.nat(65_535),
    isExecutable: fc.constant(true as const),
  },
  { requiredKeys: ['mountPath'] },
);

/** Empty options are absent. */
const container: fc.Arbitrary<ContainerOptions> = fc.record(
  {
    shmBytes: fc.integer({ min: 1, max: 6 * 2 ** 20 }),
    tmpfs: fc.uniqueArray(tmpfs, {
      selector: ({ mountPath }) => mountPath,
      minLength: 1,
      maxLength: 3,
    }) as fc.Arbitrary<TmpfsSpec[]>,
    stopSignal: fc.constantFrom('SIGTERM', 'SIGRTMIN+3'),
    stopGraceSeconds: fc.nat(30),
    ulimits: fc.constantFrom<Record<string, Ulimit>>({ nofile: { soft: 1, hard: 2 }, core: { soft: 0, hard: 0 } }),
    groups: fc.uniqueArray(fc.constantFrom('0', 'mail', '1000'), { minLength: 1 }),
    extraHosts: fc.constantFrom<Record<string, string>>({ 'a.b': '8.8.8.8', c: '2606:4700::1111' }),
    sysctls: fc.constantFrom<Record<string, string>>({ 'net.core.somaxconn': '7' }),
  },
  { requiredKeys: ['stopGraceSeconds'] },
);

const volume = fc.record(
  {
    name: label(),
    sizeBytes: fc.integer({ min: 2 ** 16, max: 2 ** 44 }),
    mountPath: directory,
    isShared: fc.constant(true),
  },
  { requiredKeys: ['name', 'sizeBytes', 'mountPath'] },
);

const pod: fc.Arbitrary<PodSpec> = fc.record(
  {
    name: label(),
    image: fc.constantFrom(
      'acme/web:1',
      'ghcr.io/acme/api:V1.2',
      `me/x@sha256:${'0'.repeat(64)}`,
      '<% REGISTRY %>/a/b:1',
    ),
    servicePorts: fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 3 }),
    vars: fc.dictionary(name, text, { maxKeys: 6 }),
    entrypoint: fc.array(text, { maxLength: 4 }),
    command: fc.array(text, { maxLength: 4 }),
    files: fc.constant<FileSpec[]>([]),
    volumes: fc.uniqueArray(volume, { selector: ({ mountPath }) => mountPath, maxLength: 2 }) as fc.Arbitrary<
      VolumeSpec[]
    >,
    resourceType: fc.constantFrom('deployment', 'statefulset', 'daemonset'),
    replicas: fc.integer({ min: 1, max: 20 }),
    resources: fc.record({ requests: fc.constant({}), limits: amounts }),
    healthCheck,
    useGPU: fc.boolean(),
    stripPrefix: fc.constant(true as const),
    sticky: fc.constant(true as const),
    dependsOn: fc.constant<string[]>([]),
    workingDir: directory,
    user: fc.constantFrom('1000', 'node', '1000:1000'),
    container,
    aliases: fc.uniqueArray(
      label().map((alias) => `alias-of-${alias}`),
      { minLength: 1, maxLength: 2 },
    ),
  },
  {
    requiredKeys: [
      'name',
      'image',
      'servicePorts',
      'vars',
      'files',
      'volumes',
      'resourceType',
      'replicas',
      'resources',
      'useGPU',
      'dependsOn',
    ],
  },
);

const file = (isSecret: boolean) => fc.record({ path: directory, content: text, isSecret: fc.constant(isSecret) });

/** Specs that a document can describe: names differ, and the first pod is public. */
export const spec: fc.Arbitrary<AppSpec> = fc
  .record(
    {
      name: label(),
      url: fc.constant('shop.example.com'),
      registryLogin: fc.record({
        registry: fc.constantFrom('ghcr.io', 'r.example.com:5000/org'),
        username: text.filter((t) => t !== ''),
        personalAccessToken: text.filter((t) => t !== ''),
      }),
      pods: fc.uniqueArray(pod, { selector: (each) => each.name, minLength: 1, maxLength: 3 }),
      secrets: fc.array(file(true), { maxLength: 2 }),
      plain: fc.array(file(false), { maxLength: 2 }),
    },
    { requiredKeys: ['name', 'pods', 'secrets', 'plain'] },
  )
  .filter(({ name: own }) => own.length >= 3)
  .map(({ secrets, plain, pods, ...rest }) => ({
    ...rest,
    pods: pods.map((each, index) => ({
      ...each,
      ...(index === 0 && { path: '/', files: [...secrets, ...plain] }),
      dependsOn: index === 0 ? [] : [pods[0]!.name],
    })),
  }));
