/** Documents that are made to break their reader, or to keep it busy. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { serviceKeys, topLevelKeys } from '../../src/config/compose/key-table.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { within } from '../processor-time.ts';

const repeat = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

test('a legal file of 50 services takes less than 100 ms', () => {
  const text = `name: many
x-env: &env
${repeat(40, (index) => `  VARIABLE_${index}: "value \${SET_${index}:-of ${index}}"\n`)}services:
${repeat(
  50,
  (index) => `  service_${index}:
    image: ghcr.io/acme/service:${index}
    environment: { <<: *env, OWN: "http://service_${(index + 1) % 50}:8080/\${PATH_${index}-x}" }
    ports: ["${8000 + index}:8080"]
    depends_on: ${index === 0 ? '[]' : `{ service_${index - 1}: { condition: service_healthy } }`}
    healthcheck: { test: [CMD, curl, -f, "http://localhost:8080/up"], interval: 5s }
    volumes: ["data-${index}:/data", "common:/common"]
    deploy: { replicas: 2, resources: { limits: { cpus: "0.5", memory: 128M } } }
    labels: { a: b, c: d }
`,
)}volumes:
  common:
${repeat(50, (index) => `  data-${index}:\n`)}`;
  const parsed = within(100, () => parseConfiguration(text));
  assert.equal(parsed.kind, 'valid');
});

describe('hostile documents take less than a second', () => {
  const services = (rest: string) => `services:\n  web: { image: "a:1", ports: [80] }\n${rest}`;
  const long = 'x'.repeat(100_000);
  const documents: Record<string, string> = {
    'a chain of 5,000 services that extend each other': services(
      repeat(5000, (index) => `  s${index}: { image: "a:1", extends: s${index + 1} }\n`),
    ),
    'a circle of 5,000 services': services(
      repeat(5000, (index) => `  s${index}: { extends: s${(index + 1) % 5000} }\n`),
    ),
    '49 services that extend one large service': services(
      `  base: { image: "a:1", environment: [${repeat(4000, (index) => `V${index}=x,`)}] }\n${repeat(
        48,
        (index) => `  s${index}: { extends: base, environment: [A=1] }\n`,
      )}`,
    ),
    'aliases of aliases': `x0: &x0 [${'a,'.repeat(50)}]\n${repeat(
      9,
      (index) => `x${index + 1}: &x${index + 1} [${`*x${index},`.repeat(50)}]\n`,
    )}${services('  b: { image: "a:1", command: *x9 }\n')}`,
    'merge keys of merge keys': `x0: &x0 {${repeat(500, (index) => `k${index}: 1,`)}}\n${repeat(
      300,
      (index) => `x${index + 1}: &x${index + 1} { <<: [${`*x${index},`.repeat(20)}] }\n`,
    )}${services('')}`,
    'defaults in defaults': services(
      `  b: { image: "a:1", command: "${'${A:-'.repeat(40_000)}${'}'.repeat(40_000)}" }\n`,
    ),
    'braces that do not close': services(`  b: { image: "a:1", command: "${'${A:-{'.repeat(40_000)}" }\n`),
    'a variable that stands for much, used often': `x-berth: { vars: { A: ${long} } }\n${services(
      `  b: { image: "a:1", command: [${'"$A$A$A",'.repeat(10_000)}] }\n`,
    )}`,
    'a range of ports, often': services(`  b: { image: "a:1", ports: [${'"1-65535",'.repeat(15_000)}] }\n`),
    'thousands of volumes with names that become equal': services(
      `  b: { image: "a:1", volumes: [${repeat(12_000, (index) => `"/d/${index % 7}_",`)}] }\n`,
    ),
    'thousands of named volumes': services(
      `  b: { image: "a:1", volumes: [${repeat(8000, (index) => `"A_${index}:/d${index}",`)}] }\n`,
    ),
    'thousands of dependencies': services(
      `  b: { image: "a:1", depends_on: [${repeat(20_000, (index) => `d${index},`)}] }\n`,
    ),
    'thousands of unknown keys': services(
      `  b: { image: "a:1", ${repeat(10_000, (index) => `environmen${index}: 1,`)} }\n`,
    ),
    'thousands of configs': services(
      `  b: { image: "a:1", configs: [${repeat(20_000, (index) => `c${index},`)}] }\nconfigs: { a: { content: b } }\n`,
    ),
    'thousands of networks': services(
      `  b: { image: "a:1", networks: [${repeat(5000, (index) => `n${index},`)}] }\nnetworks:\n${repeat(5000, (index) => `  n${index}: { external: true }\n`)}`,
    ),
    'a long command of quotes': services(`  b: { image: "a:1", command: '${'" '.repeat(60_000)}' }\n`),
    'a long check of health': services(
      `  b: { image: "a:1", healthcheck: { test: 'curl -f ${'> /dev/null '.repeat(10_000)}' } }\n`,
    ),
    'spaces in a check of health': services(
      `  b: { image: "a:1", healthcheck: { test: 'curl -f a${' '.repeat(200_000)}b' } }\n`,
    ),
    'a long size and duration': services(
      `  b: { image: "a:1", mem_limit: "${'9'.repeat(60_000)}x", healthcheck: { interval: "${'1h'.repeat(60_000)}x" } }\n`,
    ),
    'a long name': services(`  ${'_'.repeat(900)}${'A-'.repeat(50)}: { image: "a:1" }\n`),
    'a deep value': services(`  b: { image: "a:1", environment: ${'['.repeat(3000)}${']'.repeat(3000)} }\n`),
  };
  for (const [title, text] of Object.entries(documents)) {
    test(title, () => {
      assert.ok(text.length < 256 * 1024, `a larger document is refused unread: ${text.length}`);
      const parsed = within(1000, () => parseConfiguration(text));
      // The result is not larger than the largest request.
      if (parsed.kind === 'valid') assert.ok(JSON.stringify(parsed.spec).length < 8 * 1024 * 1024);
    });
  }
});

describe('no text at all makes it throw', () => {
  const keys = [
    ...Object.keys(serviceKeys),
    ...Object.keys(topLevelKeys),
    'test',
    'condition',
    'source',
    'target',
    'type',
  ];
  const scalar = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      80,
      -1,
      1.5,
      '',
      'web',
      'host',
      '80:80',
      '${A:-b}',
      '${',
      '$$',
      './a:/b',
      'a:/b',
      '10s',
    ),
    fc.string({ maxLength: 8 }),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, 'web', '__proto__', 'constructor'), tie('value'), { maxKeys: 4 }),
    ),
  }));
  const service = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 });
  const document = fc.record(
    {
      services: fc.oneof(
        value,
        fc.dictionary(fc.constantFrom('web', 'db', 'A_b', '1', '__proto__', 'toString'), service),
      ),
      volumes: value,
      configs: value,
      secrets: value,
      networks: value,
      name: value,
      'x-berth': value,
    },
    { requiredKeys: ['services'] },
  );

  test('documents of the right keys with the wrong values', () => {
    fc.assert(
      fc.property(document, (one) => {
        const text = JSON.stringify(one);
        const { kind, diagnostics } = parseConfiguration(text);
        assert.equal(kind === 'valid', !diagnostics.some(({ severity }) => severity === 'error'));
        for (const { line, column, message } of diagnostics) assert.ok(line >= 1 && column >= 1 && message !== '');
      }),
      { numRuns: 2000 },
    );
  });

  const folder = join(import.meta.dirname, 'applications');
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  test('real files with a piece cut out or put in', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.constantFrom('\n', '  ', ':', '- ', '*x', '&x ', '<<: ', '${', '\t', '|'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.nat(), fc.nat(40), piece, (text, position, length, inserted) => {
        const at = position % text.length;
        parseConfiguration(text.slice(0, at) + inserted + text.slice(at + length));
      }),
      { numRuns: 1000 },
    );
  });
});
