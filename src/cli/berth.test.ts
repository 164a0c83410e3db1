import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

const bin = join(import.meta.dirname, 'bin.mjs');
const folder = mkdtempSync(join(tmpdir(), 'berth-cli-'));
after(() => rmSync(folder, { recursive: true }));

const good = 'name: shop\nservices: { web: { image: "nginx:1.29", ports: [80] } }\n';
const bad = 'name: shop\nservices: { web: { image: "nginx:1.29", ports: [80], privileged: true } }\n';
const native = 'application: { name: shop, pods: [{ name: web, image: "nginx:1.29", path: /, servicePorts: [80] }] }\n';

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const check = ['validate', '--no-images'];

function berth(words: string[], input = '') {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], { encoding: 'utf8', input, env });
  return { status, stdout, stderr };
}

describe('berth validate', () => {
  test('0 when all is valid, in both forms', () => {
    const { status, stdout } = berth([...check, file('a.yaml', good), file('b.yaml', native)]);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /2 files: 2 valid, 0 not valid/);
  });
  test('1 when something is not, with its line', () => {
    const { status, stdout, stderr } = berth([...check, file('a.yaml', good), file('c.yaml', bad)]);
    assert.deepEqual([status, stderr], [1, '']);
    assert.match(stdout, /c\.yaml:2:54 error services\.web\.privileged: /);
    assert.ok(!stdout.includes('\u001b'));
  });
  test('standard input', () => {
    assert.equal(berth([...check, '-'], good).status, 0);
    const { status, stdout } = berth([...check, '-'], bad);
    assert.equal(status, 1);
    assert.match(stdout, /^\(standard input\):2:54 error/);
  });
  test('a valid file whose images were not checked says so, with the reason', () => {
    assert.match(berth([...check, '-'], native).stdout, /: valid; images not checked\n$/);
    const server = ['--server', 'localhost:1'];
    const { status, stdout } = berth(['validate', ...server, '-'], native);
    assert.deepEqual([status, /: valid; images not checked: .*localhost:1/.test(stdout)], [0, true], stdout);
    const { files } = JSON.parse(berth(['validate', ...server, '--json', '-'], native).stdout);
    assert.deepEqual([files[0].valid, files[0].images], [true, 'not checked']);
  });
  test('as JSON', () => {
    const { status, stdout } = berth([...check, '--json', '-'], bad);
    const { valid, files } = JSON.parse(stdout);
    assert.deepEqual([status, valid, files.length, files[0].valid], [1, false, 1, false]);
    const [{ severity, code, path, line, column }] = files[0].diagnostics;
    assert.deepEqual([severity, code, path, line, column], ['error', 'unsupported', 'services.web.privileged', 2, 54]);
  });
  test('invalid YAML, a document that is too large, and an empty one are not valid', () => {
    assert.match(berth([...check, '-'], 'a: [').stdout, /error/);
    assert.equal(berth([...check, '-'], 'a: [').status, 1);
    assert.match(berth([...check, file('large.yaml', `a: ${'x'.repeat(300_000)}`)]).stdout, /larger than 256 KiB/);
    assert.equal(berth([...check, '-'], '').status, 1);
  });
  test('2 when a file cannot be read; the others are checked all the same', () => {
    const { status, stdout, stderr } = berth([...check, join(folder, 'none.yaml'), file('a.yaml', good)]);
    assert.equal(status, 2);
    assert.match(stderr, /none\.yaml: the file does not exist/);
    assert.match(stdout, /a\.yaml: valid/);
    assert.match(berth([...check, folder]).stderr, /this is a folder/);
  });
  test('2 for invalid arguments', () => {
    for (const words of [[], ['validate'], ['wrong'], ['validate', '--colour', 'x']]) {
      const { status, stdout, stderr } = berth(words);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /validate FILE…|"berth help(?: validate)?" lists/);
    }
  });
  test('help', () => {
    for (const words of [['--help'], ['-h'], ['help'], ['validate', '--help']]) {
      const { status, stdout } = berth(words);
      assert.equal(status, 0);
      assert.match(stdout, /validate FILE…/);
    }
  });
});
