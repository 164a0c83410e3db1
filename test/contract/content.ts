/** The input of the program in a workload, and its output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from './engine.ts';
import { decode, identityPath, port } from './program.ts';
import { createVolume } from './scene.ts';

export function contentContract({ newScene }: Stage): void {
  test('environment variables arrive as they were written', async () => {
    const scene = newScene();
    const env = {
      QUOTES: `'"\`$(id) \\n $HOME`,
      LINES: 'one\ntwo\r\n\n',
      EMPTY: '',
      UNICODE: 'ü 🚢',
      EQUALS: '=a=b=',
    };
    const [line] = await scene.output({ ...scene.job('printer', 'print-environment'), env });
    const arrived = decode(line).split('\0');
    for (const [name, value] of Object.entries(env)) assert.ok(arrived.includes(`${name}=${value}`), name);
  });

  test('a command replaces the command of the image, word for word', async () => {
    const scene = newScene();
    const words = ['', 'two words', `it's "so"`, '$HOME;*', 'line\nline', '--', 'ü'];
    const lines = await scene.output(scene.job('printer', 'print-arguments', ...words));
    assert.deepEqual(lines.map(decode), words);
  });

  test('an entrypoint replaces that of the image and drops its command', async () => {
    const scene = newScene();
    const own = { ...scene.job('own'), entrypoint: ['/bin/contract', 'print-arguments', 'own'] };
    delete own.command;
    assert.deepEqual((await scene.output(own)).map(decode), ['own']);
    const both = {
      ...scene.job('both', 'and command'),
      entrypoint: ['/bin/contract', 'print-arguments', 'entrypoint'],
    };
    assert.deepEqual((await scene.output(both)).map(decode), ['entrypoint', 'and command']);
  });

  test('files arrive byte for byte, in new directories and in volumes', async () => {
    const scene = newScene();
    const content = `\0\x01 'quotes" \\ $HOME \r\n\ttab ü 🚢 no newline at the end`;
    // The last is how a bzip2 file begins, and an archive begins with the name of its first file.
    const paths = ['/etc/app/deep er/odd "name".conf', '/tmp/here', '/srv/in/volume', '/BZh9'];
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    for (const [index, path] of paths.entries()) {
      const job = scene.job(`printer-${index}`, 'print-file', path);
      const files = [{ path, content }];
      const lines = await scene.output({ ...job, files, volumes: [{ volume: 'data', mountPath: '/srv' }] });
      assert.equal(decode(lines[0]), content, path);
      assert.equal(lines[1], '644 0', path);
    }
  });

  test('pods of a deployment find each other by name', async () => {
    const scene = newScene();
    const db = scene.workload('db', { env: { IDENTITY: 'the db' }, aliases: ['db', 'db.pod', 'shop-db.pod'] });
    await scene.start(db);
    await scene.ready(db);
    const urls = db.aliases.map((alias) => `http://${alias}:${port}${identityPath}`);
    assert.deepEqual(await scene.output(scene.job('asker', 'fetch', ...urls)), ['the db', 'the db', 'the db']);
  });

  test('two deployments may have pods of the same name and never meet', async () => {
    const scenes = [newScene(), newScene()];
    const answers = scenes.map(async (each, index) => {
      const db = each.workload('db', { env: { IDENTITY: `db of ${index}` } });
      await each.start(db);
      const { address } = await each.ready(db);
      const [answer] = await each.output(each.job('asker', 'fetch', `http://db.pod:${port}${identityPath}`));
      return { address, answer };
    });
    const [one, two] = await Promise.all(answers);
    assert.deepEqual([one?.answer, two?.answer], ['db of 0', 'db of 1']);
    assert.notEqual(one?.address, two?.address);
  });
}
