/** Properties of any spec, any text and any fix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyEdits, fixDocument } from '../../src/config/fix.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { printSpec } from '../../src/config/spec/print-spec.ts';
import { spec } from './arbitrary-specs.ts';
import { verdictOn } from './documents.ts';
import { docs } from './realistic.ts';

/** Only what the rules forbid may be refused; such a spec no document describes. */
const forbidden = /bad-file-path|duplicate-file|file-on-volume|duplicate-volume|ambiguous-name|expands-too-far/;

test('any spec that is printed as YAML parses back to itself', () => {
  let compared = 0;
  fc.assert(
    fc.property(spec, (given) => {
      const printed = printSpec(given);
      const parsed = parseConfiguration(printed);
      if (parsed.kind !== 'valid') {
        const errors = parsed.diagnostics.filter(({ severity }) => severity === 'error');
        assert.ok(
          errors.every(({ code }) => forbidden.test(code)),
          `${JSON.stringify(errors)}\n${printed}`,
        );
        return;
      }
      compared += 1;
      // fast-check makes objects without a prototype.
      assert.deepEqual(parsed.spec, structuredClone(given));
    }),
    { numRuns: 300 },
  );
  assert.ok(compared > 100, `only ${compared} were compared`);
});

test('the spec of every accepted document is printed and read back unchanged', () => {
  for (const { text: document, title } of docs) {
    const parsed = parseConfiguration(document);
    if (parsed.kind !== 'valid') continue;
    const again = parseConfiguration(printSpec(parsed.spec));
    assert.deepEqual(again.kind === 'valid' && again.spec, parsed.spec, title);
  }
});

const tokens = fc.constantFrom(
  'application',
  ':',
  ': ',
  '\n',
  '  ',
  '    ',
  '- ',
  'pods',
  'name',
  'image',
  'vars',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '#',
  '&a',
  '*a',
  '<<',
  '|',
  '>',
  '\t',
  '---',
  '!',
  '%',
  '@',
  '`',
  'nginx:1',
  '${A}',
  '<% URL %>',
  'null',
  '1.10',
  'path',
  '/',
  'services',
  ',',
);

test('any text at all gives a spec or diagnostics, never an exception', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(tokens, { maxLength: 60 }).map((parts) => parts.join('')),
    mutatedDocument(),
  );
  fc.assert(
    fc.property(anything, (given) => {
      const parsed = parseConfiguration(given);
      assert.equal(parsed.kind === 'valid', !parsed.diagnostics.some(({ severity }) => severity === 'error'));
      if (parsed.kind !== 'valid') assert.ok(parsed.diagnostics.length > 0);
      for (const { line, column, message } of parsed.diagnostics) {
        assert.ok(line >= 1 && column >= 1 && message.length > 0);
      }
    }),
    { numRuns: 1500 },
  );
});

/** A realistic document with a few characters or lines of it changed: what real mistakes look like. */
function mutatedDocument(): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 12 }), by: fc.oneof(tokens, fc.constant('')) });
  return fc.tuple(fc.constantFrom(...docs), fc.array(edit, { maxLength: 4 })).map(([{ text: document }, edits]) =>
    edits.reduce((current, { at, length, by }) => {
      const from = current.length === 0 ? 0 : at % current.length;
      return current.slice(0, from) + by + current.slice(from + length);
    }, document),
  );
}

test('every fix, applied alone, removes its diagnostic', () => {
  fc.assert(
    fc.property(mutatedDocument(), (document) => {
      for (const { fix, code, path, message } of parseConfiguration(document).diagnostics) {
        if (!fix) continue;
        const fixed = applyEdits(document, [fix]);
        const left = parseConfiguration(fixed).diagnostics.filter(
          (other) => other.code === code && other.path === path && other.message === message,
        );
        // An invalid line of YAML can occur twice in a text.
        if (code === 'unparsable') assert.notEqual(fixed, document);
        else assert.deepEqual(left, [], `${message}\n${document}\n=>\n${fixed}`);
      }
    }),
    { numRuns: 800 },
  );
});

test('fixing everything makes no document worse', () => {
  fc.assert(
    fc.property(mutatedDocument(), (document) => {
      const before = parseConfiguration(document);
      const { parsed } = fixDocument(document, before);
      if (before.kind === 'valid') assert.equal(parsed.kind, 'valid', `${document}\n${verdictOn(document)}`);
      if (before.kind === 'invalid') assert.notEqual(parsed.kind, 'unparsable', document);
    }),
    { numRuns: 500 },
  );
});
