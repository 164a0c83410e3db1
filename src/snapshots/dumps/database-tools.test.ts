import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databasesIn, databaseTools } from './database-tools.ts';

test('a database’s own description is read as intended, and nothing else', () => {
  const line = '{"name" : "my \\"shop\\"", "owner" : "o", "encoding" : "UTF8", "collate" : "C", "ctype" : "C"}';
  assert.deepEqual(databasesIn(`${line}\n{"name":"second"}\n`), [
    { name: 'my "shop"', owner: 'o', encoding: 'UTF8', collate: 'C', ctype: 'C' },
    { name: 'second' },
  ]);
  const many = '{"name":"a"}\n'.repeat(101);
  for (const text of ['', 'no', '[]', '{}', '{"name":7}', '{"name":"a\\u0000b"}', '{"name":"a","owner":7}', many])
    assert.throws(() => databasesIn(text), Error, text.slice(0, 40));
});

test('a name is never read as a part of a script or of a statement', () => {
  const hostile = `x"; DROP '$(touch /tmp/it)`;
  const { dump, load } = databaseTools.postgres;
  assert.equal(dump({ name: hostile }).command.at(-1), hostile);
  assert.equal(dump({ name: hostile }).command[2], dump({ name: 'other' }).command[2]);
  const last = load([{ name: hostile, owner: 'o' }]).at(-1)!;
  const sql = 'sql' in last.input ? last.input.sql : '';
  assert.match(sql, /RENAME TO "x""; DROP '\$\(touch \/tmp\/it\)";/);
  assert.match(sql, /datname = 'x"; DROP ''\$\(touch \/tmp\/it\)'/);
  assert.ok(!last.tool.command.join(' ').includes('touch'));
});

test('no password is among the words of a program', () => {
  for (const { list, dump, load } of Object.values(databaseTools)) {
    const tools = [list, dump({ name: 'a' }), ...load([{ name: 'a' }]).map(({ tool }) => tool)];
    for (const { command } of tools) assert.doesNotMatch(command.join(' '), /--password|:[^ ]*PASSWORD[^ ]*@/);
  }
});
