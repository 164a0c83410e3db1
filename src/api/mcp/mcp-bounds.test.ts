import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';

const headers = { accept: 'application/json, text/event-stream' };

test('every message of a list counts', async () => {
  const api = await testApi({ rate: { count: 3, windowMs: 60_000 } });
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const list = Array.from({ length: 5 }, (_, id) => ping(id));
  assert.notEqual((await api.postJson('/mcp', list, headers)).status, 429);
  assert.equal((await api.postJson('/mcp', list, headers)).status, 429);
});

test('unknown arguments are refused without being repeated, and a body with too many values is refused', async () => {
  const api = await testApi();
  const call = (given: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'deploy', arguments: given },
  });
  const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`the-caller-wrote-${index}`, 1]));
  const { body } = await api.send('POST', '/mcp', JSON.stringify(call(unknown)), {
    ...headers,
    'content-type': 'application/json',
  });
  const text = JSON.stringify(body);
  assert.match(text, /Unknown arguments. This tool accepts document/);
  assert.ok(text.length < 2_000 && !text.includes('the-caller-wrote'));
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [index, 1]));
  const refused = await api.postJson('/mcp', call(many), headers);
  assert.deepEqual([refused.status, refused.body.error], [400, 'The body has too many values, or too deep ones.']);
});
