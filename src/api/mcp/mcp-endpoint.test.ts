import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
let clients: Client[];
beforeEach(async () => {
  api = await testApi({ graceMs: 3_600_000 });
  clients = [];
});
afterEach(async () => {
  for (const client of clients) await client.close();
});

type Connecting = { headers?: Record<string, string>; capabilities?: object; legacy?: boolean };

/** The official client; it speaks through the API as a function. */
async function connect({ headers = {}, capabilities = {}, legacy = false }: Connecting = {}) {
  const inject: typeof fetch = async (url, { method = 'GET', headers: given, body } = {}) => {
    const answer = await api.app.inject({
      method: method as 'POST',
      url: new URL(String(url)).pathname,
      headers: { ...Object.fromEntries(new Headers(given)), ...headers, host: 'localhost:8080' },
      ...(typeof body === 'string' && { payload: body }),
    });
    const answered = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(answer.body || null, { status: answer.statusCode, headers: answered });
  };
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost:8080/mcp'), { fetch: inject });
  const client = new Client(
    { name: 'tests', version: '1' },
    { capabilities, versionNegotiation: { mode: legacy ? 'legacy' : 'auto' } },
  );
  await client.connect(transport);
  clients.push(client);
  return client;
}

const call = async (client: Client, name: string, given: Record<string, unknown>) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [first] = content as { text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own fields.
  return { text: first!.text, isError: isError === true, value: structuredContent as Record<string, any> };
};

const refused = async (client: Client, name: string, given: Record<string, unknown>) => {
  const { isError, text } = await call(client, name, given);
  assert.ok(isError, text);
  return JSON.parse(text) as Record<string, never>;
};

for (const legacy of [false, true]) {
  describe(`the protocol ${legacy ? 'before 2026-07-28' : 'of 2026-07-28'}`, () => {
    test('has fourteen tools with schemas of their arguments alone, of which one is destructive', async () => {
      const client = await connect({ legacy });
      assert.equal(client.getNegotiatedProtocolVersion() === '2026-07-28', !legacy);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          'templates',
          'validate',
          'deploy',
          'update',
          'preview',
          'deploy_source',
          'status',
          'logs',
          'list',
          'limits',
          'extend',
          'claim_link',
          'remove',
          'restore',
        ],
      );
      for (const { name, outputSchema, inputSchema, annotations } of tools) {
        assert.equal(outputSchema, undefined, name);
        assert.equal(inputSchema.additionalProperties, false, name);
        assert.equal(annotations?.destructiveHint, name === 'remove', name);
      }
    });

    test('leads from a document with a fault to one that runs, its link, and its end', async () => {
      const client = await connect({ legacy });
      const { templates } = (await call(client, 'templates', { search: 'queue workers' })).value;
      assert.equal(templates[0].name, 'queue');
      const { document } = (await call(client, 'templates', { name: 'queue' })).value.templates[0];
      assert.equal((await call(client, 'validate', { document })).value.valid, true);
      const wrong = await call(client, 'validate', { document: shopYaml.replace('name: web', 'name: Web_1') });
      assert.equal(wrong.value.valid, false);
      const { fixed } = wrong.value;
      const deployed = await call(client, 'deploy', { document: fixed });
      const { sessionToken, url, status } = deployed.value;
      assert.match(sessionToken, /^berth_/);
      assert.match(url, /shop\.localhost/);
      assert.equal(status.state, 'deploying');
      const mine = { sessionToken };
      assert.equal((await call(client, 'status', { ...mine, waitSeconds: 0 })).value.applicationName, 'shop');
      assert.equal((await call(client, 'preview', { ...mine, document: fixed })).value.pods[0].change, 'unchanged');
      const updated = await call(client, 'update', { ...mine, document: String(fixed).replace('nginx:1', 'nginx:2') });
      assert.equal(updated.value.status.revision, 2);
      assert.deepEqual((await call(client, 'logs', mine)).value.lines, []);
      assert.match((await call(client, 'extend', mine)).value.message, /extended/);
      assert.match((await call(client, 'claim_link', mine)).value.claimUrl, /^http:\/\/localhost:8080\/claim\//);
      assert.equal((await call(client, 'list', mine)).value.reservedDeployments.length, 1);
      assert.equal((await call(client, 'limits', mine)).value.deployments.used, 1);
      const shop = { ...mine, applicationName: 'shop' };
      assert.match((await call(client, 'remove', shop)).value.message, /removed/);
      assert.equal((await call(client, 'restore', shop)).value.url, url);
    });
  });
}

test('a refusal has the code, the words and the lines of the API', async () => {
  const client = await connect();
  const document = shopYaml.replace('name: web', 'name: Web_1');
  const overHttp = await api.postYaml('/startUserDeployment', document);
  assert.deepEqual(await refused(client, 'deploy', { document }), overHttp.body);
  assert.equal((await refused(client, 'status', {})).code, 'missing_token');
  assert.equal((await refused(client, 'list', { sessionToken: 'berth_nobody' })).code, 'session_not_found');
});

test('credentials may be in the header, and a token finds only its own deployments', async () => {
  const token = await api.startShop();
  const mine = await connect({ headers: { authorization: `Bearer ${token}` } });
  assert.equal((await call(mine, 'status', { waitSeconds: 0 })).value.applicationName, 'shop');
  const other = await api.postYaml('/startUserDeployment', shopYaml.replace('shop', 'blog'));
  const theirs = { sessionToken: other.body.sessionToken, applicationName: 'shop' };
  assert.equal((await refused(mine, 'status', theirs)).code, 'application_not_found');
  assert.equal((await refused(mine, 'remove', theirs)).code, 'application_not_found');
});

test('a client that can ask its person does so before anything is removed', async () => {
  const token = await api.startShop();
  const given = { sessionToken: token, applicationName: 'shop' };
  const client = await connect({ capabilities: { elicitation: { form: {} } } });
  let requested = '';
  let answer: object = { action: 'decline' };
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    requested = params.message;
    return answer as { action: 'decline' };
  });
  assert.equal((await refused(client, 'remove', given)).code, 'not_confirmed');
  assert.match(requested, /Remove shop, with its data/);
  answer = { action: 'accept', content: { confirm: false } };
  assert.equal((await refused(client, 'remove', given)).code, 'not_confirmed');
  assert.equal((await api.get(`/getReservations?sessionToken=${token}`)).body.reservedDeployments.length, 1);
  answer = { action: 'accept', content: { confirm: true } };
  assert.match((await call(client, 'remove', given)).value.message, /removed/);
});

test('the guide, the schema and the examples can be read', async () => {
  const client = await connect();
  const { resources } = await client.listResources();
  const texts = await Promise.all(
    resources.map(async ({ uri }) => (await client.readResource({ uri })).contents[0] as { text: string }),
  );
  assert.ok(texts.every(({ text }) => text.length > 100));
  const example = resources.findIndex(({ uri }) => uri === 'berth://examples/guestbook');
  assert.equal((await call(client, 'validate', { document: texts[example]!.text })).value.valid, true);
});

test('the limits of the API hold for what a tool does', async () => {
  api = await testApi({ startRate: { count: 2, windowMs: 60_000 } });
  const client = await connect();
  for (const name of ['one', 'two']) {
    assert.ok(!(await call(client, 'deploy', { document: shopYaml.replace('shop', name) })).isError);
  }
  assert.equal((await refused(client, 'deploy', { document: shopYaml })).code, 'rate_limited');
});

test('a call of a tool counts as one request, with its token too, and messages have a limit of their own', async () => {
  const asShop = await api.startShop();
  api = await testApi({ rate: { count: 10, windowMs: 60_000 } }, undefined, api.service.db);
  const client = await connect({ headers: { authorization: `Bearer ${asShop}` } });
  for (let calls = 0; calls < 10; calls++) assert.ok(!(await call(client, 'list', {})).isError, String(calls));
  assert.equal((await refused(client, 'list', {})).code, 'rate_limited');
  assert.equal((await api.get('/getReservations')).status, 429);
  const headers = { accept: 'application/json, text/event-stream' };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const statuses = new Set<number>();
  for (let sent = 0; sent < 30; sent++) statuses.add((await api.postJson('/mcp', list, headers)).status);
  assert.deepEqual([...statuses], [200, 429]);
});

test('a proof of work is required of the caller, and not solved for it', async () => {
  api = await testApi({ proofOfWork: { mode: 'always', cost: 1 } });
  const problem = await refused(await connect(), 'deploy', { document: shopYaml });
  assert.equal(problem.code, 'proof_of_work_required');
  assert.ok(problem.challenge);
});

describe('what is hostile', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const headers = { accept: 'application/json, text/event-stream' };
  const post = (body: unknown, more: Record<string, string> = {}) =>
    api.postJson('/mcp', body, { ...headers, ...more });

  test('pages of other sites and names that are not the service’s are refused, with a token too', async () => {
    const authorization = `Bearer ${await api.startShop()}`;
    for (const more of [
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', authorization },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', authorization },
      { host: 'evil.example', origin: 'http://evil.example' },
      { host: 'evil.example:8080' },
      { host: 'jolly-tapir-shop.localhost:8080' },
    ]) {
      const { status, body } = await post(list, more as Record<string, string>);
      assert.deepEqual([status, body.code], [403, 'cross_site_request'], JSON.stringify(more));
    }
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', '10.1.2.3']) {
      assert.equal((await post(list, { host })).status, 200, host);
    }
    assert.equal((await post(list, { host: 'localhost:8080', origin: 'http://localhost:8080' })).status, 200);
  });

  test('10 MB, long lists and invalid messages are refused', async () => {
    const large = await post({ ...list, params: { x: 'x'.repeat(10_000_000) } });
    assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large']);
    assert.equal((await post(Array.from({ length: 11 }, () => list))).status, 400);
    for (const body of [[], 'text', 7, null, {}, { jsonrpc: '2.0', id: {}, method: 1 }]) {
      assert.ok((await post(body)).status >= 400, JSON.stringify(body));
    }
    assert.equal((await api.get('/mcp')).status, 405);
    assert.equal((await api.postYaml('/mcp', 'a: b')).status, 415);
  });

  test('a tool that is not there and arguments of other types are errors that say so', async () => {
    const client = await connect();
    await assert.rejects(client.callTool({ name: 'format_disk', arguments: {} }), /format_disk/);
    for (const [name, given] of [
      ['deploy', { document: 7 }],
      ['deploy', { document: shopYaml, sessionToken: 'a\r\nb' }],
      ['deploy', { dokument: shopYaml }],
      ['status', { waitSeconds: 3600 }],
      ['logs', { tail: -1 }],
      ['remove', {}],
    ] as const) {
      const { isError, text } = await call(client, name, given);
      assert.ok(isError, name);
      assert.match(text, /Invalid arguments/);
    }
    assert.equal(api.woken.length, 0);
  });

  test('nothing is kept open for a client', async () => {
    const { status, body } = await post(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: envelope },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );
    assert.ok(JSON.stringify(body).includes('error'), `${status} ${JSON.stringify(body)}`);
  });
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('an empty token is refused in a sentence', async () => {
  const client = await connect();
  const { isError, text } = await call(client, 'list', { sessionToken: '' });
  assert.equal(isError, true);
  assert.match(text, /sessionToken is empty/);
  assert.doesNotMatch(text, /pattern|\\x21/);
});
