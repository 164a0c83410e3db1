/** An agent that has nothing but curl and what the service answers: each answer says what to change. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { applyEdits } from '../../src/config/fix.ts';
import { type Berth, createBerth } from './berth.ts';

const run = promisify(execFile);

/** Three mistakes: a slip in `comand`, a port without a server, a password that the store does not have. */
const mistaken = `application:
  name: counter
  pods:
    - name: store
      image: redis:7
      servicePorts: [6379]
      command: redis-server --requirepass right-horse
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      comand: node /app/server.js
      vars:
        REDIS_URL: redis://:wrong-horse@store.pod:6379
      healthCheck: { path: /healthz }
      files:
        - path: /app/server.js
          content: |
            const { createServer } = require('node:http');
            const { connect } = require('node:net');
            const { hostname, port, password } = new URL(process.env.REDIS_URL);
            let trouble = 'not connected yet';
            const open = () => {
              const store = connect(port, hostname, () => store.write('AUTH ' + decodeURIComponent(password) + '\\r\\n'));
              store.on('error', () => {});
              store.on('data', (reply) => {
                trouble = String(reply).startsWith('+OK') ? '' : 'store: ' + String(reply).trim();
                if (trouble) console.error(trouble);
                if (!server.listening) server.listen(8080);
                store.end();
              });
              store.on('close', () => trouble && setTimeout(open, 500));
            };
            const server = createServer((request, response) => {
              response.statusCode = trouble ? 503 : 200;
              response.end(trouble || 'counted');
            });
            open();
`;

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
});

/** `-s` and a header or two: what an agent with a shell has. */
async function curl(url: string, ...options: string[]) {
  const { stdout } = await run('curl', ['-s', ...options, url]);
  return JSON.parse(stdout);
}
const send = (document: string) => ['-H', 'Content-Type: text/x-yaml', '--data-binary', document];

type Diagnostic = { fix?: { from: number; to: number; text: string } };
type Status = { message?: string; lastLines?: string[]; pods?: { message?: string }[] };

/** The document with each correction that the answer to it, or to a look at it, says. */
function corrected(
  document: string,
  { diagnostics = [], status }: { diagnostics?: Diagnostic[]; status: Status },
): string {
  const fixes = diagnostics.flatMap(({ fix }) => fix ?? []);
  const said = [status.message, ...(status.pods ?? []).map(({ message }) => message), ...(status.lastLines ?? [])];
  const words = said.filter((text) => text !== undefined).join('\n');
  const [, listens, asked] = /listens on (\d+), not on (\d+)/.exec(words) ?? [];
  const text = applyEdits(document, fixes);
  const onPort = listens === undefined ? text : text.replace(`servicePorts: [${asked}]`, `servicePorts: [${listens}]`);
  return /WRONGPASS/.test(words) ? onPort.replace('wrong-horse', 'right-horse') : onPort;
}

test('an agent with curl alone brings an application with a typo, a wrong port and a wrong password to run in at most 5 calls after its start', async (t) => {
  const started = await curl(`http://localhost:${berth.settings.port}/startUserDeployment`, ...send(mistaken));
  const authorization = ['-H', `Authorization: Bearer ${started.sessionToken}`];
  const { links } = started;
  let document = mistaken;
  let answer = started;
  let calls = 0;
  while (answer.status.state !== 'running') {
    const next = corrected(document, answer);
    const isChanged = next !== document;
    document = next;
    answer = isChanged
      ? await curl(links.update, ...authorization, ...send(document))
      : await curl(links.status, ...authorization);
    // A wait that ran out says how busy this machine is, and nothing else.
    if (isChanged || answer.status.state !== 'deploying') calls++;
    t.diagnostic(`${calls}: ${isChanged ? 'update' : 'status'} ${JSON.stringify(answer.status)}`);
    assert.ok(calls <= 5, `the answers did not say what to change: ${JSON.stringify(answer)}`);
  }
  const { text } = await berth.visit(started.url);
  assert.equal(text, 'counted');
  assert.deepEqual(
    [document.includes('comand'), document.includes('3000'), document.includes('wrong')],
    [false, false, false],
  );
});
