/** Documents as they are really written get a verdict that makes sense, and messages that help. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixDocument } from '../../src/config/fix.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { within } from '../processor-time.ts';
import { docs } from './realistic.ts';

for (const { title, text, expect, warns = [] } of docs) {
  test(`${title}: ${expect.length === 0 ? 'accepted' : 'refused'}`, () => {
    const parsed = parseConfiguration(text);
    const codesOf = (severity: string) =>
      parsed.diagnostics.filter((diagnostic) => diagnostic.severity === severity).map(({ code }) => code);
    assert.deepEqual(codesOf('error'), expect);
    assert.equal(parsed.kind === 'valid', expect.length === 0);
    // An unexpected warning is a false alarm.
    const reported = new Set([...codesOf('warning'), ...codesOf('note')]);
    if (expect.length === 0) assert.deepEqual([...reported].sort(), [...warns].sort());
  });
}

test('what can be fixed with certainty is fixed, one problem behind the other', () => {
  const text =
    'app:\n\tname:My Shop\n\tpods:\n\t\t- name: web\n\t\t  image: Nginx\n\t\t  path: api\n\t\t  servicePorts: "80"\n';
  const fixed = fixDocument(text);
  assert.equal(
    fixed.text,
    'application:\n  name: my-shop\n  pods:\n    - name: web\n      image: nginx:latest\n      path: /api\n      servicePorts: [80]\n',
  );
  assert.equal(fixed.parsed.kind, 'valid');
});

test('a document of fifty pods takes less than a tenth of a second', () => {
  const pods = Array.from({ length: 50 }, (_, index) => {
    const vars = Array.from(
      { length: 12 },
      (_, n) => `        VAR_${n}: "http://pod-${n}.pod:${3000 + n}/\${TOKEN_${n}}"`,
    );
    return `    - name: pod-${index}\n      image: acme/pod-${index}:1\n      path: /${index}\n      servicePorts: [${3000 + index}]\n      vars:\n${vars.join('\n')}`;
  });
  const text = `application:\n  name: fifty\n  pods:\n${pods.join('\n')}\n`;
  assert.equal(within(100, () => parseConfiguration(text)).kind, 'valid');
});
