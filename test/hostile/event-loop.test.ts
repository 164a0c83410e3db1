/**
 * The cost of one large document for other users: the guards of the firewall and of the disk, the control loop and all
 * other requests share one thread. Measured in that thread's processor time, which other programs do not change.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { readManifest } from '../../src/images/manifests/manifest.ts';
import { readConfig } from '../../src/images/resolve/image-config.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { largeDocuments } from './large-documents.ts';
import { longestTurn } from './longest-turn.ts';

/** One turn may take this part of what it takes to read a large document here. */
const maxOfBaseline = 1 / 4;

/** Garbage collection and compilation may happen in any turn. The cost of a document occurs every time. */
const attempts = 5;

const valid = largeDocuments['many pods']!;

const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();

/** As large as a registry may send them. */
const maxBytes = 4 * 2 ** 20;
const largeImageDocuments: Record<string, string> = {
  'deep nesting': '['.repeat(maxBytes),
  'many keys': `{"schemaVersion":2,${keys(300_000)}}`,
  'many layers': `{"schemaVersion":2,"layers":[${'{},'.repeat(1_000_000)}{}]}`,
  'many lines of history': `{"rootfs":{"diff_ids":[${'"",'.repeat(1_000_000)}""]}}`,
};

async function minOf(times: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) least = Math.min(least, await measure());
  return least;
}

suite('a large document does not delay other requests', () => {
  let api: TestApi;
  let token: string;
  let maxMs: number;
  before(async () => {
    api = await testApi();
    token = await api.startShop();
    maxMs = maxOfBaseline * (await longestTurn(async () => void parseConfiguration(valid)));
  });
  after(() => api.app.close());

  const holdsUpNobody = async (path: string, text: string, type = 'text/x-yaml') => {
    let ms = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts && ms >= maxMs; attempt++) {
      ms = await longestTurn(async () => {
        const { status } = await api.send('POST', path.replace('TOKEN', token), text, { 'content-type': type });
        assert.ok(status < 500, `answered ${status}`);
      });
    }
    assert.ok(ms < maxMs, `a turn took ${ms.toFixed(1)} ms of the ${maxMs.toFixed(1)} ms that it may`);
  };

  for (const [name, text] of Object.entries(largeDocuments)) test(name, () => holdsUpNobody('/validate', text));

  for (const path of [
    '/startUserDeployment?dryRun=true',
    '/startUserDeployment',
    '/updateUserDeployment?sessionToken=TOKEN',
    '/previewUserDeployment?sessionToken=TOKEN',
  ])
    test(`at ${path}`, () => holdsUpNobody(path, valid));

  test('where it is to be corrected', () =>
    holdsUpNobody('/validate?fix=true', largeDocuments['keys that are repeated']!));

  for (const [name, message] of [
    [
      'many keys',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy","arguments":{${keys(60_000)}}}}`,
    ],
    ['deep nesting', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(900_000)}`],
    ['a list of lists of tools', JSON.stringify(Array(10).fill({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))],
  ] as const)
    test(`as a message of an agent: ${name}`, () => holdsUpNobody('/mcp', message, 'application/json'));

  for (const [name, content] of Object.entries(largeImageDocuments))
    test(`as a manifest or a configuration of an image: ${name}`, async () => {
      const bytes = Buffer.from(content);
      const ms = await minOf(attempts, () =>
        longestTurn(async () => {
          readManifest(bytes, 'application/vnd.oci.image.manifest.v1+json');
          readConfig(bytes);
        }),
      );
      assert.ok(ms < maxMs, `a turn took ${ms.toFixed(1)} ms of the ${maxMs.toFixed(1)} ms that it may`);
    });

  test('as JSON that is broken', () => holdsUpNobody('/validate', `{${valid}`, 'application/json'));
});
