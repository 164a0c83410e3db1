/** Builds that use the operator's HTTP proxy: they reach it through the firewall, and pods do not. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, test } from 'node:test';
import { dockerfile } from '../support/node-source.ts';
import { sourceArchive } from '../support/source-archive.ts';
import { type Berth, createBerth } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';

const options = onDocker('the firewall of other engines is not this one');

let berth: Berth;
let proxy: Server;
let other: Server;
/** The addresses that the proxy was used for. */
const requested: string[] = [];
/** An address of this machine that containers can route to. */
const address = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)!.address;
const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listen(answer: (url: string) => string): Promise<Server> {
  const server = createServer((request, response) => void response.end(answer(request.url!)));
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return server;
}

before(async () => {
  proxy = await listen((url) => {
    requested.push(url);
    return 'from the cache';
  });
  other = await listen(() => 'another port');
  berth = await createBerth({ BERTH_BUILD_PROXY: `http://${address}:${portOf(proxy)}` });
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  proxy?.close();
  other?.close();
});

/** Prints what a server answers, or the code of the error. */
const probe = `import { get } from 'node:http';
export const probe = (host, port, path) => new Promise((resolve) => {
  get({ host, port, path, timeout: 3000 }, (response) => response.on('data', (text) => resolve(String(text))))
    .on('timeout', function () { this.destroy(); resolve('timeout'); })
    .on('error', ({ code }) => resolve(code));
});
`;

test('a build uses the proxy at its address and port alone, and its pods reach neither', options, async () => {
  const server = `import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { probe } from './probe.mjs';
createServer(async (_, response) => {
  const built = readFileSync('built.txt', 'utf8') + readFileSync('added.txt', 'utf8');
  const now = await probe('${address}', ${portOf(proxy)}, '/pod');
  response.end(JSON.stringify({ built, now, proxies: Object.keys(process.env).filter((name) => /proxy/i.test(name)) }));
}).listen(3000);
process.on('SIGTERM', () => process.exit());
`;
  const build = `import { probe } from './probe.mjs';
const { hostname, port } = new URL(process.env.http_proxy);
console.log(await probe(hostname, port, 'http://packages.invalid/by-step'));
console.log(await probe(hostname, ${portOf(other)}, '/other'));
`;
  const files = {
    Dockerfile: dockerfile(
      'ADD http://packages.invalid/by-add added.txt',
      'COPY probe.mjs build.mjs ./',
      'RUN node build.mjs > built.txt',
    ),
    'probe.mjs': probe,
    'build.mjs': build,
    'server.mjs': server,
  };
  const started = await berth.visit(`http://localhost:${berth.settings.port}/startUserDeployment?name=proxied`, {
    method: 'POST',
    headers: { 'content-type': 'application/gzip' },
    body: await sourceArchive(files),
  });
  assert.equal(started.status, 200, started.text);
  await berth.reach(started.body, 'running');
  const { built, now, proxies } = JSON.parse((await berth.visit(started.body.url)).text);
  assert.match(built, /^from the cache\n(?:ECONN\w+|EACCES|EHOSTUNREACH)\nfrom the cache$/);
  assert.match(now, /^(?:ECONN\w+|EACCES|EHOSTUNREACH)$/);
  assert.deepEqual(proxies, []);
  assert.ok(
    requested.includes('http://packages.invalid/by-step') && requested.includes('http://packages.invalid/by-add'),
    requested.join(),
  );
  assert.ok(!requested.includes('/pod'));
  await berth.remove(started.body);
});
