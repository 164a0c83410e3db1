import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../parse.ts';

const native = (build: string) => `application:
  name: shop
  pods:
    - name: web
      path: /
      build:
        ${build}
`;
const compose = (build: string) => `name: shop
services:
  web:
    ports: ["80"]
    build:
      ${build}
`;
const git = 'git: https://github.com/acme/shop';

test('a build with a Git repository is valid in both forms, without an image and without ports', () => {
  for (const document of [
    native(`source: { ${git}, ref: v1.2, path: apps/web, token: ghp_x }`),
    native(`{ source: { ${git} }, context: web, dockerfile: Dockerfile.prod, target: run, args: { A: 1 } }`),
    compose(`source: { ${git} }`),
    compose('context: https://github.com/acme/shop.git#main:web'),
    'services: { web: { ports: ["80"], build: "https://github.com/acme/shop.git" } }',
  ]) {
    const parsed = parseConfiguration(document);
    assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
    assert.equal(parsed.hasSources, true);
    assert.equal(parsed.spec.pods[0]!.image, './web:1');
    assert.deepEqual(
      parsed.diagnostics.filter(({ code }) => code !== 'name-default').map(({ message }) => message),
      [],
    );
  }
});

test('a document without a source has none, and a build without one is refused as before', () => {
  const parsed = parseConfiguration('services: { web: { image: "nginx:1", ports: ["80"] } }');
  assert.ok(parsed.kind === 'valid' && !parsed.hasSources);
  assert.deepEqual(codesOf(native('context: ./web')), ['4 missing-field', '5 path-without-port']);
  assert.deepEqual(codesOf(compose('context: ./web')), ['5 build-without-image']);
});

function codesOf(document: string): string[] {
  const { diagnostics } = parseConfiguration(document);
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ line, code }) => `${line} ${code}`);
}

test('a bad value is refused in both forms, at its line and column and without the value', () => {
  const bad: [string, RegExp][] = [
    ['source: { git: "§ext::sh -c hunter22" }', /`git` is not the https address/],
    ['source: { git: §file:///etc/hunter22 }', /`git` is not the https address/],
    ['source: { git: "§https://me:hunter22@github.com/a/b" }', /contains a user name or a password.*token/],
    [`source: { ${git}, ref: §--upload-pack=hunter22 }`, /`ref` is not the name/],
    [`source: { ${git}, path: §../hunter22 }`, /`path` is not a folder/],
    [`source: { ${git}, token: "§hunter22 hunter22" }`, /`token` is not an access token/],
    [`source: { ${git}, token: [hunter22] }`, /`token` is not a text/],
    [`source: { ${git}, branch: hunter22 }`, /unknown field.*git, ref, path and token/],
    [`source: { ${git}, tokn: §hunter22 }`, /unknown field.*did you mean "token"/],
    ['source: { ref: main }', /has no `git`/],
    ['source: https://github.com/acme/shop', /`source` is not a map.*git: https/],
    ['context: "§https://github.com/acme/shop.git#-x:hunter22"', /`ref` is not the name/],
  ];
  for (const [build, words] of bad)
    for (const form of [native, compose]) {
      const marked = form(build);
      const parsed = parseConfiguration(marked.replace('§', ''));
      assert.equal(parsed.kind, 'invalid', build);
      const errors = parsed.diagnostics.filter(({ severity }) => severity === 'error');
      assert.deepEqual(
        errors.map(({ code }) => code),
        ['bad-source'],
        build,
      );
      const [{ message, hint, line, column }] = errors as [(typeof errors)[0]];
      assert.match(`${message} ${hint}`, words);
      assert.doesNotMatch(JSON.stringify(parsed), /hunter22/);
      const before = marked.slice(0, marked.indexOf('§')).split('\n');
      if (marked.includes('§')) {
        // A value in quotes begins at its quote.
        const quoted = before.at(-1)!.endsWith('"') ? 0 : 1;
        assert.deepEqual([line, column], [before.length, before.at(-1)!.length + quoted], build);
      }
    }
});

test('a variable in a source is judged after it has its value', () => {
  const parsed = parseConfiguration(native('source: { git: "${REPOSITORY}", token: "${GIT_TOKEN}" }'));
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
});
