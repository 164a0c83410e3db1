import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { configurationValidator } from '../src/config/schema/validator.ts';
import { compileValidator } from './compiled-validator.ts';

const root = join(import.meta.dirname, '..');

test('the compiled validator for bundles agrees with Ajv on every document', async () => {
  const module = await import(`data:text/javascript,${encodeURIComponent(compileValidator())}`);
  const ours: ValidateFunction = module.configurationValidator();
  const theirs = configurationValidator();
  const forKubernetes = ['test/golden/kubernetes/**', 'test/golden/exported-kubernetes.yaml'];
  const valid = globSync('{examples,test}/**/*.yaml', { cwd: root, exclude: forKubernetes }).map((file) =>
    parse(readFileSync(join(root, file), 'utf8')),
  );
  let refused = 0;
  for (const document of [...valid, ...valid.flatMap(brokenIn)]) {
    assert.equal(ours(document), theirs(document));
    assert.deepEqual(report(ours.errors), report(theirs.errors));
    refused += ours.errors ? 1 : 0;
  }
  assert.ok(refused > 50, `${refused} documents were refused`);
});

/** Returns variants of a document: in each, one field has a wrong type, or there is an unknown field. */
function brokenIn(document: unknown): unknown[] {
  const pods = (document as { application?: { pods?: object[] } })?.application?.pods ?? [];
  return pods.flatMap((pod) =>
    Object.keys(pod).flatMap((key) =>
      [null, 7, '', '\u{1f600}', [{}], { a: [] }].map((value) => ({
        application: { name: 'ab', surplus: 1, pods: [{ ...pod, [key]: value }] },
      })),
    ),
  );
}

function report(errors: ErrorObject[] | null | undefined) {
  return (errors ?? []).map(({ instancePath, keyword, params, message, parentSchema }) => {
    return { instancePath, keyword, params, message, says: parentSchema?.['x-says'] };
  });
}
