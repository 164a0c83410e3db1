import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFolder } from '../../src/folder/read-folder.ts';
import { makeFolder, read } from '../support/project-folder.ts';

const files = {
  'index.html': 'hello',
  '.berth/config.json': '{"sessionToken":"berth_secret"}',
  '.berth/values.env': 'PASSWORD="berth_secret"\n',
};
const site = (mount: string) =>
  `services:\n  web:\n    image: nginx:1.29\n    ports: ['80:80']\n    volumes: ['${mount}:/site:ro']\n`;

test('a folder that is mounted as a whole is published without what the command remembers in it', async (t) => {
  const { project, refused } = await read(t, { ...files, 'compose.yaml': site('.') });
  assert.deepEqual(refused, []);
  assert.match(project.document, /hello/);
  assert.doesNotMatch(project.document, /berth_secret|values\.env/);
});

test('its files cannot be named, by a path or by a link', async (t) => {
  for (const name of ['./.berth/config.json', './.berth', './linked'] as const) {
    const { project } = await read(t, {
      ...files,
      linked: { link: '.berth/config.json' },
      'compose.yaml': `${site(name)}    env_file: ./.berth/values.env\n    configs: [kept]\nconfigs: { kept: { file: ./.berth/config.json } }\n`,
    });
    assert.doesNotMatch(JSON.stringify(project), /berth_secret/, name);
    assert.deepEqual(
      project.images.flatMap(({ layers }) => layers),
      [],
      name,
    );
    assert.notEqual(project.refusals.length, 0, name);
  }
});

test('a project that lies in a folder of that name is read as any other', async (t) => {
  const folder = join(
    makeFolder(t, { '.berth/site/compose.yaml': site('.'), '.berth/site/index.html': 'hello' }),
    '.berth/site',
  );
  const { document, refusals } = await readFolder(folder);
  assert.deepEqual(refusals, []);
  assert.match(document, /hello/);
});
