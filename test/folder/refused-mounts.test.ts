/** Mounts of paths that are outside of the folder, missing, or the machine's own. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFolder } from '../../src/folder/read-folder.ts';
import { makeFolder, mounting, read, web } from '../support/project-folder.ts';

const dockerfile = 'FROM node:26-slim\n';

test("the machine's own things are refused, and those that do not matter left out", async (t) => {
  const { refused, noted } = await read(t, {
    'compose.yaml': mounting(
      'nginx:1.29',
      '/var/run/docker.sock:/var/run/docker.sock',
      '/proc:/host/proc:ro',
      '/etc/localtime:/etc/localtime:ro',
    ),
  });
  assert.deepEqual(refused, ['docker-socket compose.yaml:5:15', 'bind-mount compose.yaml:5:59']);
  assert.ok(noted.some((one) => one.startsWith('ignored compose.yaml:5:')));
});

test('nothing outside of the folder is read, neither by a path nor by a link, unless it is allowed', async (t) => {
  const folder = makeFolder(t, {
    'compose.yaml': `${web(
      'image: nginx:1.29',
      'env_file: ../secret.env',
      "volumes: ['../secret.conf:/a.conf', './link.conf:/b.conf', './linked/secret.conf:/c.conf']",
      'configs: [own]',
    )}configs: { own: { file: /etc/hostname } }\n`,
    'link.conf': { link: '../secret.conf' },
    linked: { link: '..' },
  });
  writeFileSync(join(folder, '../secret.conf'), 'secret');
  writeFileSync(join(folder, '../secret.env'), 'SECRET=secret\n');
  const project = await readFolder(folder);
  assert.deepEqual(new Set(project.refusals.map(({ code }) => code)), new Set(['outside-folder']));
  assert.equal(project.refusals.length, 5);
  assert.ok(!JSON.stringify(project).includes('SECRET=') && !project.document.includes('secret"'));
  assert.match(project.refusals.find(({ message }) => message.startsWith('link.conf'))?.message ?? '', /leads to/);

  const allowed = await readFolder(folder, { allowed: [join(folder, '..')] });
  assert.deepEqual(
    allowed.refusals.map(({ message }) => message),
    ['/etc/hostname is outside of the folder'],
  );
});

test('a build whose context or Dockerfile is outside, or not there, is refused', async (t) => {
  const outside = await read(t, {
    'compose.yaml': web('build: { context: .., dockerfile: shop/Dockerfile }'),
    Dockerfile: dockerfile,
  });
  assert.deepEqual(outside.refused, ['outside-folder compose.yaml:4:5']);
  const missing = await read(t, { 'compose.yaml': web('build: ./api') });
  assert.deepEqual(missing.refused, ['missing-file compose.yaml:4:5']);
  const target = await read(t, { 'compose.yaml': web('build: { context: ., target: other }'), Dockerfile: dockerfile });
  assert.deepEqual(target.refused, ['bad-dockerfile compose.yaml:4:5']);
});

test('what would be below a file is not there', async (t) => {
  const { refused } = await read(t, { 'compose.yaml': web('build: ./README.md/api'), 'README.md': '' });
  assert.deepEqual(refused, ['missing-file compose.yaml:4:5']);
});

test('a missing mounted file is refused, with the example next to it', async (t) => {
  const { project } = await read(t, {
    'compose.yaml': mounting('nginx:1.29', './app.conf:/etc/app.conf'),
    'app.conf.example': '',
  });
  assert.deepEqual(
    project.refusals.map(({ code, hint }) => [code, hint]),
    [['missing-file', 'copy it from app.conf.example']],
  );
});

test('a path outside is reported with the option to allow it, in shell form; the target of a link is not', async (t) => {
  const hintOf = async (files: Parameters<typeof read>[1]) => (await read(t, files)).project.refusals[0]?.hint;
  const above = await hintOf({ 'compose.yaml': web("build: '../a $(touch b)'") });
  assert.match(
    above ?? '',
    /: --allow '\/[^']*\/a \$\(touch b\)' allows it; or run the command in a folder above both$/,
  );
  const link = await hintOf({ 'compose.yaml': web("build: './src'"), src: { link: '/etc' } });
  assert.match(link ?? '', /: name its folder with --allow; or/);
});
