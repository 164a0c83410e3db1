import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { parse } from 'yaml';
import { readFolder } from '../read-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-archived-'));
  await mkdir(join(folder, 'volumes'));
  await writeFile(join(folder, 'volumes/db-data.tar'), 'a tar');
});
afterEach(() => rm(folder, { recursive: true }));

const compose = (file: string) => `name: shop
services:
  web: { image: "shop-web:1", ports: ["8080:80"], pull_policy: never, x-berth: { path: /, layout: images } }
  db: { image: "postgres:15", volumes: ["db-data:/var/lib/postgresql"], environment: { POSTGRES_PASSWORD: abc } }
volumes: { db-data: { x-berth: { size: "1073741824", fill: { .: ${file}, data: ${file} } } } }
`;

test('volumes of an exported folder begin with its archives, and its own images are pushed', async () => {
  await writeFile(join(folder, 'compose.yaml'), compose('volumes/db-data.tar'));
  const project = await readFolder(folder);
  assert.deepEqual(project.refusals, []);
  const from = join(project.folder, 'volumes/db-data.tar');
  const db = project.images.find(({ services }) => services[0] === 'db')!;
  assert.deepEqual(
    db.layers.map(({ from, kind, to }) => ({ from, kind, to })),
    [
      { from, kind: 'archive', to: '/var/lib/postgresql' },
      { from, kind: 'archive', to: '/var/lib/postgresql/data' },
    ],
  );
  assert.equal(project.fills.length, 2);
  const web = project.images.find(({ services }) => services[0] === 'web')!;
  assert.deepEqual([web.base, web.layers], [{ kind: 'image', image: 'shop-web:1' }, []]);
  const sent = parse(project.document);
  assert.deepEqual(sent.services.web['x-berth'], { path: '/' });
  assert.deepEqual(sent.volumes['db-data']['x-berth'], { size: '1073741824' });
});

test('an archive that is not there, or outside of the folder, is refused', async () => {
  await writeFile(join(folder, 'compose.yaml'), compose('volumes/other.tar'));
  assert.equal((await readFolder(folder)).refusals[0]!.code, 'missing-file');
  await writeFile(join(folder, 'compose.yaml'), compose('../../etc/passwd'));
  assert.equal((await readFolder(folder)).refusals[0]!.code, 'outside-folder');
});
