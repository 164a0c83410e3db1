/** The package that `npm pack` makes of the command and the client: what is in it, and where it runs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { installPacked, type Packed } from './packed.ts';

/** Takes away what came into Node's language and globals after 20. */
const laterThanNode20 = `
  for (const [owner, names] of [
    [RegExp, ['escape']], [URL, ['parse']], [Map, ['groupBy']], [Object, ['groupBy']], [Array, ['fromAsync']],
    [Promise, ['withResolvers', 'try']], [Error, ['isError']],
    [Set.prototype, ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
      ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find']],
  ]) for (const name of names) delete owner[name];
  for (const name of ['Iterator', 'Temporal', 'AsyncDisposableStack', 'DisposableStack', 'SuppressedError']) delete globalThis[name];
`;

/** Holds something for each check that has needed a later Node. */
const oddYaml = `application:
  name: shop
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars: { A: "http://shop-api:3000", B: "https://jolly-tapir-shop.example.com/", VITE_API: "http://api.pod:3000/x" }
      environment: { C: d }
    - { name: api, image: "nginx:1", path: /api, servicePorts: [3000] }
`;

describe('the package', () => {
  let packed: Packed;
  let berth: Berth;
  before(async () => {
    packed = await installPacked();
    berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
    await berth.serve();
  });
  after(async () => {
    await berth?.destroy();
    await packed?.remove();
  });

  test('has nothing to install, and npx runs it from an empty folder', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'berth', '--help'], { cwd: packed.folder });
    assert.match(stdout, /deploy FILE/);
    assert.ok(packed.size < 400_000, `${packed.size} bytes`);
    const { dependencies } = JSON.parse(await readFile(join(packed.folder, 'node_modules/berth/package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
  });
  test('reads no more for the help than its words', async () => {
    const preload = join(packed.folder, 'loaded.mjs');
    const lines = [
      `import { registerHooks } from 'node:module';`,
      `import { statSync } from 'node:fs';`,
      `import { fileURLToPath } from 'node:url';`,
      `let bytes = 0;`,
      `registerHooks({ load(url, context, next) {`,
      `  if (url.startsWith('file:')) bytes += statSync(fileURLToPath(url)).size;`,
      `  return next(url, context);`,
      `} });`,
      `process.on('exit', () => process.stderr.write(String(bytes)));`,
    ];
    await writeFile(preload, lines.join('\n'));
    const bytesFor = async (...words: string[]) => {
      const argv = ['--import', preload, packed.program, ...words];
      return Number((await promisify(execFile)(process.execPath, argv, { cwd: packed.folder })).stderr);
    };
    const help = await bytesFor('--help');
    assert.ok(help > 1_000 && help < 40_000, `${help} bytes`);
    const all = await bytesFor('validate', '--no-images', join(import.meta.dirname, '../../examples/hello.yaml'));
    assert.ok(all > 200_000 && all < 700_000, `${all} bytes`);
  });
  test('checks files in a Node that has only what Node 20 has', async () => {
    const older = join(packed.folder, 'older.cjs');
    await writeFile(older, `${laterThanNode20}\nrequire('node:assert').equal(RegExp.escape, undefined);`);
    const examples = join(import.meta.dirname, '../../examples');
    const files = (await readdir(examples)).map((name) => join(examples, name));
    const odd = join(packed.folder, 'odd.yaml');
    await writeFile(odd, oddYaml);
    const argv = ['--require', older, packed.program, 'validate', '--no-images', ...files, odd];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: packed.folder });
    assert.match(stdout, new RegExp(`${files.length + 1} valid, 0 not valid`));
  });
  test('uses only APIs of Node 20, in all of its parts', async () => {
    const folder = join(packed.folder, 'node_modules/berth');
    const later =
      /\b(?:RegExp\.escape|URL\.parse|(?:Map|Object)\.groupBy|Array\.fromAsync|Promise\.(?:withResolvers|try)|Error\.isError|Temporal\.|(?:Async)?DisposableStack)\b/g;
    let parts = 0;
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\.m?js$/.test(name)) continue;
      parts += 1;
      assert.deepEqual((await readFile(join(folder, name), 'utf8')).match(later), null, name);
    }
    assert.ok(parts > 10);
  });
  test('has the client, with its types', async () => {
    const script = `import { createClient } from 'berth/client';
      const answer = await createClient({ baseUrl: ${JSON.stringify(berth.settings.baseUrl.origin)} }).call('getLimits');
      process.stdout.write(String(answer.ok));`;
    await writeFile(join(packed.folder, 'use.mjs'), script);
    const { stdout } = await promisify(execFile)(process.execPath, ['use.mjs'], { cwd: packed.folder });
    assert.equal(stdout, 'true');
    const typed = `import { createClient } from 'berth/client';
      const answer = await createClient().call('listDeployments');
      if (answer.ok) answer.value.reservedDeployments.map(({ applicationName }): string => applicationName);
      // @ts-expect-error the operation does not exist
      void createClient().call('nothing');
      export {};`;
    await writeFile(join(packed.folder, 'use.mts'), typed);
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom',
      '--ignoreConfig',
    ];
    await promisify(execFile)(tsc, [...flags, 'use.mts'], { cwd: packed.folder });
  });
});
