/**
 * What one large document takes from everybody else: the guards of the firewall and of the disk, the control loop and
 * all other requests share one thread. Counted in that thread's processor time, which other programs do not change.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { largeDocuments } from './large-documents.ts';
import { longestTurn } from './longest-turn.ts';

/** One turn may take this part of what it takes to read a large document here. */
const maxOfBaseline = 1 / 4;

/** What collects garbage or compiles may do so in any turn; what a document costs, it costs every time. */
const attempts = 5;

const valid = largeDocuments['many pods']!;

suite('a large document holds up nobody else', () => {
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

  test('as JSON that is broken', () => holdsUpNobody('/validate', `{${valid}`, 'application/json'));
});
