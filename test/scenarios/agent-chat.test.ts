/** A program that knows only the address of a service deploys a chat, with a mistake that the service reports. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Berth, createBerth } from './berth.ts';
import { chatYaml, heardFrom } from './chat.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

type StatusAnswer = { status: { state: string; message?: string }; url: string };

test('by HTTP: three calls to read, two to start and learn of a wrong port, two to repair it', async () => {
  const { origin } = berth.settings.baseUrl;
  const calls: string[] = [];
  const call = async (path: string, init: { method?: string; body?: string; token?: string } = {}) => {
    // Repeats of one request while it waits count once.
    if (calls.at(-1) !== path) calls.push(path);
    const headers = {
      ...(init.body !== undefined && { 'Content-Type': 'text/x-yaml' }),
      ...(init.token !== undefined && { Authorization: `Bearer ${init.token}` }),
    };
    const response = await fetch(new URL(path, origin), { ...init, headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  };
  const pathIn = (text: string, end: string) => new RegExp(`${origin}(/\\S*${end})`).exec(text)![1]!;
  const guide = await call(pathIn(await call(pathIn(await call('/'), 'llms\\.txt')), 'use-berth-as-an-agent\\.md'));
  for (const path of ['/startUserDeployment', '/getDeploymentStatus', '/updateUserDeployment'])
    assert.ok(guide.includes(path), path);

  const arrived = async (token: string) => {
    for (;;) {
      const reported = JSON.parse(
        await call('/getDeploymentStatus?applicationName=chat&wait=50', { token }),
      ) as StatusAnswer;
      if (reported.status.state !== 'deploying') return reported;
    }
  };
  const answer = await call('/startUserDeployment', { method: 'POST', body: chatYaml(8080) });
  const { sessionToken: token, url } = JSON.parse(answer) as { sessionToken: string; url: string };
  const failed = await arrived(token);
  assert.equal(failed.status.state, 'failed');
  assert.match(failed.status.message!, /listens on (?:port )?3000/);
  await call('/updateUserDeployment', { method: 'POST', body: chatYaml(3000), token });
  assert.equal((await arrived(token)).status.state, 'running');
  assert.equal(calls.length, 7, calls.join('\n'));
  assert.equal(await heardFrom(url, 'hello'), 'hello');
});

test('by the Model Context Protocol: the same with four tools', async (t) => {
  const client = new Client({ name: 'tests', version: '1' });
  t.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', berth.settings.baseUrl)));
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: given });
    assert.ok(!isError, JSON.stringify(content));
    return structuredContent as StatusAnswer & { sessionToken: string };
  };
  const arrived = async (sessionToken: string) => {
    for (;;) {
      const reported = await call('status', { sessionToken });
      if (reported.status.state !== 'deploying') return reported;
    }
  };
  const { sessionToken, url } = await call('deploy', { document: chatYaml(8080) });
  const failed = await arrived(sessionToken);
  assert.equal(failed.status.state, 'failed');
  assert.match(failed.status.message!, /listens on (?:port )?3000/);
  await call('update', { sessionToken, document: chatYaml(3000) });
  assert.equal((await arrived(sessionToken)).status.state, 'running');
  assert.equal(await heardFrom(url, 'good day'), 'good day');
});
