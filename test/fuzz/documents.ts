/** Configurations to start from, and ways to break them. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';

const small = `application:
  name: NAME
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
`;
const several = `application:
  name: NAME
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      vars: { API: "<% URL %>/api", DATABASE_URL: "postgres://u:\${DB_PASSWORD}@db.pod:5432/x" }
      command: sh -c "node /app/server.js"
      files: [{ path: /app/server.js, content: "1" }]
      resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { cpu: "1", memory: 128Mi } }
      healthCheck: { path: /healthz, port: 3000 }
    - name: db
      image: postgres:16
      servicePorts: [5432]
      resourceType: statefulset
      volumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]
    - name: seed
      image: busybox:1
      resourceType: job
      command: [sh, -c, "true"]
      dependsOn: [db]
`;
const compose = `name: NAME
services:
  web:
    image: nginx:1
    ports: ["80"]
    environment: { A: "\${B:-c}" }
    depends_on: [cache]
    deploy: { replicas: 2 }
  cache:
    image: redis:7
    volumes: [data:/data]
volumes: { data: {} }
x-berth: { vars: { B: d } }
`;
const guestbook = readFileSync(new URL('../../examples/guestbook.yaml', import.meta.url), 'utf8').replace(
  'name: guestbook',
  'name: NAME',
);
const bases = [small, several, compose, guestbook];

/** Texts that have broken something somewhere. */
export const nasty = [
  ...['', ' ', '0', '-1', '1e309', 'NaN', 'null', '~', 'true', '[]', '{}', '"', "'", '\\', '`', '%', '%00', '%zz'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '../../etc/passwd',
    '/',
    '//',
    '.',
    '..',
    ';',
    '#',
    '?',
  ],
  ...[
    '${A}',
    '${A:-${B}}',
    '${',
    '<% URL %>',
    '<% SECRET X %>',
    '<%',
    '$(id)',
    '{{7*7}}',
    "' OR 1=1 --",
    '&a *a',
    '*a',
  ],
  ...['<<: *a', '!!js/function x', '!!binary x', '---\n...', '\t', '\r', '\n', '\r\nX-Injected: 1', '\0', '\x1b[2J'],
  ...['\ufeff', '\ud800', '\u202e', 'é', '𝒳', '9'.repeat(400), 'a'.repeat(70), 'a'.repeat(3000), '['.repeat(300)],
  ...['2026-01-01', '2026-01-01T00:00:00Z', '9999999999999', '10m', '0x10', '1_000', '.inf', 'localhost', '::1'],
];

/** Changes one place of a text: takes a part out, doubles it, moves it, or puts something nasty in. */
type Change = { at: number; length: number; with: string; kind: 'cut' | 'double' | 'insert' | 'replace' | 'line' };
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  length: fc.nat(40),
  with: fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 20 })),
  kind: fc.constantFrom('cut', 'double', 'insert', 'replace', 'line'),
});

function applyChange(text: string, { at, length, with: put, kind }: Change): string {
  const from = Math.floor(at * text.length);
  const [before, part, after] = [text.slice(0, from), text.slice(from, from + length), text.slice(from + length)];
  switch (kind) {
    case 'cut':
      return before + after;
    case 'double':
      return before + part + part + after;
    case 'insert':
      return before + put + part + after;
    case 'replace':
      return before + put + after;
    case 'line': {
      const lines = text.split('\n');
      const index = Math.floor(at * lines.length);
      return lines.toSpliced(index, 1, lines[(index * 7 + length) % lines.length]!, put).join('\n');
    }
  }
}

const name = fc.oneof(
  { weight: 9, arbitrary: fc.stringMatching(/^[a-z]{3,8}$/) },
  { weight: 1, arbitrary: fc.constantFrom(...nasty) },
);
const changed = fc
  .tuple(fc.constantFrom(...bases), fc.array(change, { minLength: 1, maxLength: 6 }))
  .map(([text, changes]) => changes.reduce(applyChange, text));
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...bases) },
  { weight: 4, arbitrary: changed },
  { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 400 })) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
);

/** `own` is an application of the session that sends it: half of the documents are for that one. */
export const document: fc.Arbitrary<(own: string) => string> = fc.tuple(text, name, fc.boolean()).map(
  ([text, name, isOwn]) =>
    (own) =>
      text.replaceAll('NAME', () => (isOwn ? own : name)),
);
