import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { planSource } from './plan-source.ts';

const place = mkdtempSync(join(tmpdir(), 'berth-options-'));
after(() => rmSync(place, { recursive: true, force: true }));

const compose =
  'services:\n  web: { image: nginx:1, ports: ["80:80"], environment: { A: "${A}", B: "${B:-none}" } }\n  more: { image: nginx:1, profiles: [more] }\n';

function sourceWith(name: string, options: string | undefined): string {
  const folder = join(place, name, 'app');
  mkdirSync(join(folder, '.berth'), { recursive: true });
  writeFileSync(join(folder, 'compose.yaml'), compose);
  writeFileSync(join(folder, 'package.json'), '{}');
  if (options !== undefined) writeFileSync(join(folder, '.berth/options.json'), options);
  return folder;
}

test('values, profiles and the name of a source come from its options, which are removed', async () => {
  const options = { values: { A: "it's $5" }, profiles: ['more'], name: 'shop' };
  const folder = sourceWith('given', JSON.stringify(options));
  const { document, name, refusals } = await planSource({ folder });
  assert.deepEqual(refusals, []);
  assert.equal(name, 'shop');
  assert.match(document, /A: .*it's \$\$?5/);
  assert.match(document, /more/);
  assert.equal(existsSync(join(folder, '.berth')), false);
});

test('without options, a missing value is a refusal', async () => {
  const { refusals } = await planSource({ folder: sourceWith('missing', undefined) });
  assert.match(refusals[0]!.message, /variable A has no value/);
});

for (const [what, text, says] of [
  ['invalid JSON', '{', /cannot be read/],
  ['an unknown field', '{"allowed": ["/"]}', /allowed/],
  ['a number as a value', '{"values": {"A": 1}}', /values\.A/],
] as const)
  test(`options with ${what} are refused`, async () => {
    const { refusals } = await planSource({ folder: sourceWith(what.replaceAll(' ', '-'), text) });
    assert.equal(refusals[0]!.code, 'bad-options');
    assert.match(refusals[0]!.message, says);
  });

test('files of options that are outside of the source are refused, and a link is not followed', async () => {
  const outside = sourceWith('outside', '{"values": {"A": "1"}, "envFiles": ["../../../secret.env"]}');
  writeFileSync(join(place, 'secret.env'), 'B=secret\n');
  const read = await planSource({ folder: outside });
  assert.ok(read.refusals.length > 0);
  assert.doesNotMatch(read.document, /secret/);

  const linked = sourceWith('linked', undefined);
  writeFileSync(join(place, 'options.json'), '{"values": {"A": "stolen"}}');
  symlinkSync(join(place, 'options.json'), join(linked, '.berth/options.json'));
  assert.match((await planSource({ folder: linked })).refusals[0]!.message, /variable A has no value/);
});
