/** What holds for any spec, any text and any fix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyEdits, fixDocument } from '../../src/config/fix.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { printSpec } from '../../src/config/spec/print-spec.ts';
import type {
  AppSpec,
  ContainerOptions,
  FileSpec,
  PodSpec,
  TmpfsSpec,
  Ulimit,
  VolumeSpec,
} from '../../src/config/spec/spec.ts';
import { verdictOn } from './documents.ts';
import { docs } from './realistic.ts';

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

/** None is empty: what is not asked for is absent. */
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
const spec: fc.Arbitrary<AppSpec> = fc
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

/** Only what the rules forbid may be refused; such a spec no document describes. */
const forbidden = /bad-file-path|duplicate-file|file-on-volume|duplicate-volume|ambiguous-name|expands-too-far/;

test('any spec that is printed as YAML parses back to itself', () => {
  let compared = 0;
  fc.assert(
    fc.property(spec, (given) => {
      const printed = printSpec(given);
      const parsed = parseConfiguration(printed);
      if (parsed.kind !== 'valid') {
        const errors = parsed.diagnostics.filter(({ severity }) => severity === 'error');
        assert.ok(
          errors.every(({ code }) => forbidden.test(code)),
          `${JSON.stringify(errors)}\n${printed}`,
        );
        return;
      }
      compared += 1;
      // fast-check makes objects without a prototype.
      assert.deepEqual(parsed.spec, structuredClone(given));
    }),
    { numRuns: 300 },
  );
  assert.ok(compared > 100, `only ${compared} were compared`);
});

test('the spec of every accepted document is printed and read back unchanged', () => {
  for (const { text: document, title } of docs) {
    const parsed = parseConfiguration(document);
    if (parsed.kind !== 'valid') continue;
    const again = parseConfiguration(printSpec(parsed.spec));
    assert.deepEqual(again.kind === 'valid' && again.spec, parsed.spec, title);
  }
});

const tokens = fc.constantFrom(
  'application',
  ':',
  ': ',
  '\n',
  '  ',
  '    ',
  '- ',
  'pods',
  'name',
  'image',
  'vars',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '#',
  '&a',
  '*a',
  '<<',
  '|',
  '>',
  '\t',
  '---',
  '!',
  '%',
  '@',
  '`',
  'nginx:1',
  '${A}',
  '<% URL %>',
  'null',
  '1.10',
  'path',
  '/',
  'services',
  ',',
);

test('any text at all gives a spec or diagnostics, never an exception', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(tokens, { maxLength: 60 }).map((parts) => parts.join('')),
    mutatedDocument(),
  );
  fc.assert(
    fc.property(anything, (given) => {
      const parsed = parseConfiguration(given);
      assert.equal(parsed.kind === 'valid', !parsed.diagnostics.some(({ severity }) => severity === 'error'));
      if (parsed.kind !== 'valid') assert.ok(parsed.diagnostics.length > 0);
      for (const { line, column, message } of parsed.diagnostics) {
        assert.ok(line >= 1 && column >= 1 && message.length > 0);
      }
    }),
    { numRuns: 1500 },
  );
});

/** A realistic document with a few characters or lines of it changed: what real mistakes look like. */
function mutatedDocument(): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 12 }), by: fc.oneof(tokens, fc.constant('')) });
  return fc.tuple(fc.constantFrom(...docs), fc.array(edit, { maxLength: 4 })).map(([{ text: document }, edits]) =>
    edits.reduce((current, { at, length, by }) => {
      const from = current.length === 0 ? 0 : at % current.length;
      return current.slice(0, from) + by + current.slice(from + length);
    }, document),
  );
}

test('every fix, applied alone, removes its diagnostic', () => {
  fc.assert(
    fc.property(mutatedDocument(), (document) => {
      for (const { fix, code, path, message } of parseConfiguration(document).diagnostics) {
        if (!fix) continue;
        const fixed = applyEdits(document, [fix]);
        const left = parseConfiguration(fixed).diagnostics.filter(
          (other) => other.code === code && other.path === path && other.message === message,
        );
        // A line that is no YAML can stand twice in a text.
        if (code === 'unparsable') assert.notEqual(fixed, document);
        else assert.deepEqual(left, [], `${message}\n${document}\n=>\n${fixed}`);
      }
    }),
    { numRuns: 800 },
  );
});

test('fixing everything makes no document worse', () => {
  fc.assert(
    fc.property(mutatedDocument(), (document) => {
      const before = parseConfiguration(document);
      const { parsed } = fixDocument(document, before);
      if (before.kind === 'valid') assert.equal(parsed.kind, 'valid', `${document}\n${verdictOn(document)}`);
      if (before.kind === 'invalid') assert.notEqual(parsed.kind, 'unparsable', document);
    }),
    { numRuns: 500 },
  );
});
