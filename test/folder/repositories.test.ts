/** Builds whose source is a Git repository: without its files they are remote, and with them they are like any other. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryKey } from '../../src/config/values/build-source.ts';
import type { ImageToMake } from '../../src/folder/project.ts';
import { makeFolder, read, web } from '../support/project-folder.ts';

const git = 'https://git.example/acme/shop';
const native = (build: string) =>
  `application:\n  name: shop\n  pods:\n    - { name: web, path: /, servicePorts: [80], build: ${build} }\n`;
const buildOf = (image: ImageToMake | undefined) => {
  assert.ok(image?.base.kind === 'build', JSON.stringify(image));
  return image.base.build;
};

test('a build from a repository is remote, as Docker writes it, and its repository is named', async (t) => {
  const cases: [string, string][] = [
    [`{ source: { git: ${git} } }`, `${git}.git`],
    [`{ source: { git: ${git}.git, ref: v1 } }`, `${git}.git#v1`],
    [`{ source: { git: ${git}, path: apps/web } }`, `${git}.git#:apps/web`],
    [`{ source: { git: ${git}, ref: main, path: apps }, context: ./web }`, `${git}.git#main:apps/web`],
    [`"${git}.git#main:apps"`, `${git}.git#main:apps`],
  ];
  for (const [build, context] of cases)
    for (const files of [{ 'berth.yaml': native(build) }, { 'compose.yaml': web(`build: ${build}`) }]) {
      const { project, refused } = await read(t, files);
      assert.deepEqual(refused, []);
      assert.deepEqual([buildOf(project.images[0]).context, buildOf(project.images[0]).isRemote], [context, true]);
      assert.equal(project.repositories.length, 1);
      assert.ok(project.repositories[0]!.at.line >= 4);
    }
});

test('the files of a repository are built like a folder, with the port of its Dockerfile', async (t) => {
  const fetched = makeFolder(t, { 'web/Dockerfile.prod': 'FROM node:26-slim AS run\nEXPOSE 3000\nFROM scratch' });
  const repositories = new Map([[repositoryKey({ git, ref: 'main' }), fetched]]);
  const build = `{ source: { git: ${git}, ref: main }, context: web, dockerfile: Dockerfile.prod, target: run, args: { A: b } }`;
  const document = native(build).replace(' servicePorts: [80],', '');
  const { project, refused, pod } = await read(t, { 'berth.yaml': document }, { repositories });
  assert.deepEqual([refused, project.repositories], [[], []]);
  const { context, dockerfile, isRemote, target, args } = buildOf(project.images[0]);
  assert.deepEqual(
    [context, dockerfile, isRemote],
    [join(fetched, 'web'), join(fetched, 'web/Dockerfile.prod'), false],
  );
  assert.deepEqual([target, args], ['run', { A: 'b' }]);
  assert.deepEqual([pod('web').image, pod('web').servicePorts], ['./web:1', [3000]]);
  assert.doesNotMatch(project.document, /source|git\.example/);
});

test('a build cannot leave its repository, and no message shows where its files are', async (t) => {
  const fetched = makeFolder(t, { '../secret/Dockerfile': 'FROM scratch', 'a/Dockerfile': 'FROM scratch' });
  const repositories = new Map([[repositoryKey({ git }), fetched]]);
  for (const [build, code] of [
    ['context: ../secret', 'outside-folder'],
    [`context: ${join(fetched, '../secret')}`, 'outside-folder'],
    ['context: a, dockerfile: ../../secret/Dockerfile', 'outside-folder'],
    ['context: b', 'missing-file'],
    ['dockerfile: Dockerfile', 'missing-file'],
  ] as const) {
    const { project } = await read(
      t,
      { 'berth.yaml': native(`{ source: { git: ${git} }, ${build} }`) },
      { repositories },
    );
    assert.deepEqual(project.refusals.map((refusal) => refusal.code).slice(0, 1), [code], build);
    assert.ok(!JSON.stringify(project.refusals).includes(join(fetched, '..')), JSON.stringify(project.refusals));
    assert.deepEqual(project.images, []);
  }
});

test('values of a source come from variables, and one that is missing is requested', async (t) => {
  const source = '{ source: { git: "https://git.example/${OWNER}/shop", token: "${GIT_TOKEN}" } }';
  for (const files of [{ 'berth.yaml': native(source) }, { 'compose.yaml': web(`build: ${source}`) }]) {
    const { asked, project } = await read(t, { ...files, '.env': 'OWNER=acme\n' });
    assert.deepEqual(
      asked.map((each) => each.split(' ')[0]),
      ['GIT_TOKEN'],
    );
    assert.deepEqual(project.repositories, []);
    const filled = await read(t, files, { values: { OWNER: 'acme', GIT_TOKEN: 'a-secret' } });
    assert.deepEqual(filled.project.repositories[0]!.source, { git, token: 'a-secret' });
    assert.equal(buildOf(filled.project.images[0]).isPrivate, true);
    const { given: _, repositories: __, ...rest } = filled.project;
    assert.doesNotMatch(JSON.stringify(rest), /a-secret/);
  }
});

test('a source that is not a Git repository is refused at its place', async (t) => {
  const build = '{ source: { git: "file:///etc" } }';
  assert.deepEqual((await read(t, { 'berth.yaml': native(build) })).refused[0], 'bad-source berth.yaml:4:73');
  assert.deepEqual(
    (await read(t, { 'compose.yaml': web(`build: ${build}`) })).refused[0],
    'bad-source compose.yaml:4:29',
  );
});
