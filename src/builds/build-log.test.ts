import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBuildLog } from './build-log.ts';

test('the duration of each step follows its output', () => {
  let now = 0;
  const log = openBuildLog([], () => now);
  log.add('=== ./web:1\nSTEP 1/2: FROM node:26-slim\n');
  now = 250;
  log.add('--> Using cache\nSTEP 2/2: RUN npm ci\nadded 3 ');
  now = 12_600;
  log.add('packages\n=== ./db:1\nSTEP 1/1: FROM postgres:15\n');
  now = 13_600;
  log.end();
  log.end();
  assert.deepEqual(log.text().split('\n'), [
    ...['=== ./web:1', 'STEP 1/2: FROM node:26-slim', '--> Using cache', '--- 0.3 s'],
    ...['STEP 2/2: RUN npm ci', 'added 3 packages', '--- 12.3 s'],
    ...['=== ./db:1', 'STEP 1/1: FROM postgres:15', '--- 1.0 s', ''],
  ]);
});

test('secrets are replaced, also in a line that is still open', () => {
  const log = openBuildLog(['hunter22']);
  log.add('token hunt');
  log.add('er22');
  assert.equal(log.text(), 'token ***\n');
});

test('colors are kept, but not inside of secrets, and a command in two pieces is one', () => {
  const log = openBuildLog(['hunter22']);
  log.add('\x1b[3');
  log.add('1mred\x1b[2J\n\x1b[32mhun\x1b[0mter22\x1b[33m\n\x1b[1mSTEP 2/3: RUN true\n');
  const [red, secret, step] = log.text().split('\n');
  assert.deepEqual([red, secret, step], ['\x1b[31mred\x1b[0m', '***', '\x1b[1mSTEP 2/3: RUN true\x1b[0m']);
  assert.equal(log.step()?.step, 2);
});
