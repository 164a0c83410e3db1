import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readKeys } from '../../src/lib/key-file.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  // The test reads the file.
  berth = await createBerth({}, { store: 'sqlite' });
  await berth.serve();
});
after(async () => await berth.destroy());

/** Answers with the password that was generated for it, and a word that updates change. */
function tellingYaml(word: string): string {
  return `application:
  name: revealing
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars: { DB_PASSWORD: '<% SECRET DB_PASSWORD %>', WORD: ${word} }
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            const { DB_PASSWORD, WORD } = process.env;
            createServer((request, response) => response.end(WORD + ' ' + DB_PASSWORD)).listen(3000);
`;
}

async function rotate() {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return await promisify(execFile)(process.execPath, ['src/cli/bin.mjs', 'admin', 'rotate-key'], {
    env: { PATH, NODE_COMPILE_CACHE, BERTH_DATA_DIR: berth.settings.dataDir },
  });
}

/** As the command, in a process that dies right after the new key is in the file. */
const dieHalfWay = `
  import { keyFileOf, rotateKey } from './src/admin/rotate-key.ts';
  import { openSqlite } from './src/store/database.ts';
  const [, folder] = process.argv;
  const db = await openSqlite(folder + '/berth.db');
  const report = ({ kind }) => kind === 'key-added' && process.kill(process.pid, 'SIGKILL');
  await rotateKey(db, { file: keyFileOf(folder), actor: 'ada', now: Date.now(), report });
`;

test('what runs goes on through a rotation, is updated after it, and has the password that it had', async () => {
  const { dataDir } = berth.settings;
  const file = join(dataDir, 'secret.key');
  const app = await berth.start(tellingYaml('one'));
  await berth.reach(app, 'running');
  const [, password] = (await berth.visit(app.url)).text.split(' ');
  assert.match(password!, /^\w{32}$/);
  const secrets = [readKeys(file)![0]];

  // While the service runs.
  const { stdout } = await rotate();
  assert.match(stdout, /^Sealed with the key [0-9a-f]{16} now: 2 rows\./);
  assert.equal((await berth.visit(app.url)).text, `one ${password}`);
  await berth.update(app, tellingYaml('two'));
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(app.url)).text, `two ${password}`);
  secrets.push(readKeys(file)![0]);

  // Killed half-way: the service works with both keys, and the next start of it finishes the rotation.
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', dieHalfWay, dataDir]);
  assert.equal(killed.signal, 'SIGKILL', String(killed.stderr));
  assert.equal(readKeys(file)!.length, 2);
  await berth.update(app, tellingYaml('three'));
  await berth.end('SIGTERM');
  await berth.serve();
  assert.equal(readKeys(file)!.length, 1);
  await until('it is reported', async () => /everything is sealed with the new key/.test(berth.log()));
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(app.url)).text, `three ${password}`);
  secrets.push(readKeys(file)![0]);

  // The service is stopped.
  await berth.end('SIGTERM');
  await rotate();
  await berth.serve();
  const authorization = `Bearer ${app.sessionToken}`;
  const { body } = await berth.get('/getDeploymentConfiguration?applicationName=revealing', { authorization });
  assert.equal(body.yaml, tellingYaml('three'));
  secrets.push(readKeys(file)![0]);

  assert.equal(new Set(secrets).size, 4);
  const logged = berth.log();
  for (const secret of secrets) assert.ok(!logged.includes(secret), 'no key is logged');
  const stored = await readFile(join(dataDir, 'berth.db'));
  for (const secret of [...secrets, password!]) assert.ok(!stored.includes(secret), 'no key is in the database');
});
