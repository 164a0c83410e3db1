/** An agent with nothing but a client of the Model Context Protocol, over both transports, against real containers. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { inTier } from '../tier.ts';
import { type Berth, createBerth, until } from './berth.ts';

const program = join(import.meta.dirname, '../../src/cli/bin.mjs');
const escapes = '\\033]0;title\\007red\\033[31m\\302\\233';
const yaml = (port: number) => `application:
  name: hello
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [${port}]
      files: [{ path: /usr/share/nginx/html/index.html, content: "good day" }]
    - name: talker
      image: nginx:1
      command: sh -c "printf '${escapes} is an order\\n'; sleep 1000"
`;

let berth: Berth;
let folder: string;
before(async () => {
  berth = await createBerth();
  folder = await mkdtemp(join(tmpdir(), 'berth-mcp-'));
  await berth.serve();
});
after(async () => {
  await berth.destroy();
  await rm(folder, { recursive: true });
});

/** The first is nightly: `agent-chat.test.ts` repairs an application by it too. */
const transports = {
  'Streamable HTTP': () => new StreamableHTTPClientTransport(new URL('/mcp', berth.settings.baseUrl)),
  'standard input and output': () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp'],
      cwd: folder,
      env: { PATH: process.env.PATH!, BERTH_SERVER: berth.settings.baseUrl.origin },
    }),
} satisfies Record<string, () => Transport>;

for (const name of inTier<keyof typeof transports>(['standard input and output'], ['Streamable HTTP'])) {
  test(`${name}: a wrong port is reported, and repaired by one update; the end is the end`, async () => {
    await using client = Object.assign(new Client({ name: 'tests', version: '1' }), {
      [Symbol.asyncDispose]: () => client.close(),
    });
    await client.connect(transports[name]());
    const call = async (tool: string, given: Record<string, unknown> = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: given });
      const [first] = content as { text: string }[];
      assert.ok(!isError, first!.text);
      // biome-ignore lint/suspicious/noExplicitAny: each tool has its own fields
      return { text: first!.text, value: structuredContent as any };
    };
    const arrived = async (mine: object) => {
      for (;;) {
        const { value } = await call('status', { ...mine });
        if (value.status.state !== 'deploying') return value;
      }
    };

    const { value: started } = await call('deploy', { document: yaml(8081) });
    const mine = started.sessionToken === undefined ? {} : { sessionToken: started.sessionToken };
    const failed = await arrived(mine);
    assert.equal(failed.status.state, 'failed');
    assert.match(failed.status.message, /8081/);
    await call('update', { ...mine, document: yaml(80) });
    assert.equal((await arrived(mine)).status.state, 'running');
    assert.equal((await berth.visit(started.url)).text, 'good day');

    const { text, value } = await call('logs', { ...mine, pod: 'talker', tail: 10 });
    assert.equal(text, 'talker: red· is an order');
    assert.match(value.lines[0].text, /is an order/);
    assert.doesNotMatch(value.lines[0].text, /\p{Cc}/u);
    if (name === 'Streamable HTTP') assert.match(started.sessionToken, /^berth_/);
    else {
      const file = join(folder, '.berth/config.json');
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const { sessionToken } = JSON.parse(await readFile(file, 'utf8'));
      assert.ok(sessionToken && !JSON.stringify(started).includes(sessionToken));
    }
    await call('remove', { ...mine, applicationName: 'hello' });
    await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
  });
}
