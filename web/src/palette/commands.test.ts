import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, matching } from './commands.ts';

const command = (title: string, group: string): Command => ({ title, group, act: () => {} });
const account = { ...command('Account', 'Page'), words: 'API keys, webhooks' };
const all = [
  command('Templates', 'Page'),
  command('Logs', 'shop'),
  command('Chat', 'Template'),
  command('Deploy', 'Editor'),
];
const titles = (typed: string) => matching(all, typed).map(({ title }) => title);

test('commands are found by all typed words; those that begin with them come first', () => {
  assert.deepEqual(titles(''), ['Templates', 'Logs', 'Chat', 'Deploy']);
  assert.deepEqual(titles('templ'), ['Templates', 'Chat']);
  assert.deepEqual(titles('shop LOGS'), ['Logs']);
  assert.deepEqual(titles('p'), ['Templates', 'Logs', 'Chat', 'Deploy']);
  assert.deepEqual(titles('de'), ['Deploy']);
  assert.deepEqual(titles('nothing'), []);
  const byItsWords = (typed: string) => matching([...all, account], typed).map(({ title }) => title);
  assert.deepEqual(byItsWords('API key'), ['Account']);
  assert.deepEqual(byItsWords('webhook'), ['Account']);
});
