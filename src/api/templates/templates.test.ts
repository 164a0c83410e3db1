import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { readTemplate } from '../../config/templates/template.ts';
import { readTemplates } from './template-endpoints.ts';

const templates = readTemplates();

test('there are at least twenty templates', () => {
  assert.ok(templates.length >= 20, String(templates.length));
});

for (const { name, document, description, images, title } of templates) {
  test(`the template ${name} is valid without a warning, and says what it is`, () => {
    const parsed = parseConfiguration(document, { isStrict: true });
    // Workers have no ports and get a note about that.
    const odd = parsed.diagnostics.filter(({ severity, code }) => severity !== 'note' && code !== 'no-ports');
    assert.deepEqual(
      odd.map(({ line, path, message }) => `${line} ${path}: ${message}`),
      [],
    );
    assert.equal(parsed.kind, 'valid');
    if (parsed.kind !== 'valid') return;
    assert.deepEqual(images, [...new Set(parsed.spec.pods.map(({ image }) => image))]);
    assert.ok(
      images.every((image) => /:[^/]+$/.test(image) && !image.endsWith(':latest')),
      'every image has a tag',
    );
    assert.match(description, /\.$/);
    assert.ok(document.startsWith(`# ${title}: ${description}\n`));
  });
}

test('no two templates have the same title or application name', () => {
  for (const key of ['title', 'name'] as const) {
    const all = templates.map((template) => template[key].toLowerCase());
    assert.equal(new Set(all).size, all.length);
  }
});

test('a text of another form is not a template', () => {
  const good = 'title: A\ndescription: It is one.\ntags: [aa]\n---\napplication: {}\n';
  assert.equal(readTemplate('a', good).document, '# A: It is one.\napplication: {}\n');
  for (const bad of ['application: {}\n', good.replace('tags: [aa]\n', ''), good.replace('[aa]', '[aa]\nmore: 1')])
    assert.throws(() => readTemplate('a', bad), /another form/);
});

describe('the API', () => {
  let api: TestApi;
  before(async () => {
    api = await testApi();
  });

  test('lists templates, by words in their texts and images, and by a tag', async () => {
    const named = async (query: string) => {
      const { status, body } = await api.get(`/getTemplates${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.templates.map(({ name }: { name: string }) => name);
    };
    assert.equal((await named('')).length, templates.length);
    assert.equal((await named('?search=word'))[0], 'wordpress');
    assert.deepEqual(await named('?search=mariadb+blogs'), ['wordpress']);
    assert.equal((await named('?search=REDIS'))[0], 'redis');
    assert.deepEqual(await named('?search=rust&tag=skeleton'), ['rust']);
    assert.deepEqual(await named('?search=nothing+like+this'), []);
    const { body } = await api.get('/getTemplates');
    assert.ok(body.tags.includes('skeleton'));
    assert.ok(!('document' in body.templates[0]));
  });

  test('answers the configuration of one, which is valid here', async () => {
    const { body } = await api.get('/getTemplate?name=chat');
    assert.match(body.document, /^# Chat: .*\napplication:\n {2}name: chat\n/s);
    assert.equal((await api.postYaml('/validate', body.document)).body.valid, true);
    const missing = await api.get('/getTemplate?name=../chat');
    assert.deepEqual([missing.status, missing.body.code], [404, 'template_not_found']);
  });
});
