import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseConfiguration } from '../../src/config/parse.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import { makeFolder } from '../support/project-folder.ts';

const leaf = fc.oneof(
  fc.constantFrom('./app', './a.conf', './a.conf:/etc/a', 'app:/x', './data:/data', '../a:/b', '/proc:/p', '~'),
  fc.constantFrom('${X}', '${X:-y}', '${X:?}', '${', 'x.env', '/', '..', 'A=b', '', null, 1, true, 'web', '80:80'),
  fc.string({ maxLength: 6 }),
);
const keys = [
  ...['build', 'context', 'dockerfile', 'args', 'volumes', 'env_file', 'environment', 'configs', 'secrets', 'image'],
  ...[
    'ports',
    'extends',
    'file',
    'service',
    'depends_on',
    'profiles',
    'deploy',
    'replicas',
    'path',
    'source',
    'target',
  ],
  ...[
    'type',
    'content',
    'driver_opts',
    'o',
    'device',
    'labels',
    'healthcheck',
    'test',
    'x-berth',
    'vars',
    'constructor',
  ],
];
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 5 }),
  ),
}));
const service = fc.oneof(fc.dictionary(fc.constantFrom(...keys), node, { maxKeys: 6 }), node);
const document = fc.record(
  {
    services: fc.oneof(fc.dictionary(fc.constantFrom('web', 'db'), service, { maxKeys: 2 }), node),
    volumes: node,
    configs: node,
    secrets: node,
    include: node,
    name: node,
  },
  { requiredKeys: ['services'] },
);

test('with any Compose file, its folder is read, and the parts that are neither refused nor missing are valid', async (t) => {
  const folder = makeFolder(t, { 'app/Dockerfile': 'FROM a:1\nCOPY . /x\n', 'a.conf': 'x', 'x.env': 'A=1' });
  await fc.assert(
    fc.asyncProperty(document, async (written) => {
      writeFileSync(join(folder, 'compose.yaml'), stringify(written));
      const project = await readFolder(folder, { environment: { HOME: '/root' } });
      if (project.refusals.length + project.questions.length + project.missingFiles.length > 0) return;
      assert.equal(parseConfiguration(project.document).kind, 'valid', project.document);
    }),
    { numRuns: 300 },
  );
});
