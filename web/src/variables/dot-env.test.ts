import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDotEnv } from './dot-env.ts';

test('the lines of a .env file are read as its tools read them', () => {
  const text = `# a comment
export DATABASE_URL="postgresql://u:p@db:5432/shop" # main
PORT=8080 # http
EMPTY=
SECRET='a # b "c"'
LINES="one\\ntwo"
PORT = 9090
no variable
1BAD=x
`;
  assert.deepEqual(readDotEnv(text), [
    { name: 'DATABASE_URL', value: 'postgresql://u:p@db:5432/shop' },
    { name: 'PORT', value: '9090' },
    { name: 'EMPTY', value: '' },
    { name: 'SECRET', value: 'a # b "c"' },
    { name: 'LINES', value: 'one\ntwo' },
  ]);
  assert.deepEqual(readDotEnv(''), []);
});
