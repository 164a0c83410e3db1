import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../config/parse.ts';
import { renderChecked, renderSummary } from './render.ts';

function check(text: string) {
  const { kind, diagnostics } = parseConfiguration(text);
  return { file: 'app.yaml', text, isValid: kind === 'valid', diagnostics };
}

const broken = `name: shop
services:
  web:
    image: nginx:1.29
    ports: ["80:80"]
    volumes: ["./site:/usr/share/nginx/html"]
`;

test('each diagnostic stands with its line, a caret below its place, and what to do', () => {
  const [first, ...rest] = renderChecked(check(broken), false).split('\n');
  assert.equal(
    first,
    'app.yaml:6:15 error services.web.volumes[0]: the host\'s "./site" cannot be mounted on a shared host [bind-mount]',
  );
  assert.equal(rest[0], '  6 |     volumes: ["./site:/usr/share/nginx/html"]');
  assert.equal(rest[1], '    |               ^');
  assert.match(rest[2]!, /^ {4}= put the files into the image, or as configs with content into the document/);
  assert.equal(rest.at(-2), 'app.yaml: not valid (1 error)');
});

test('a valid document is one line', () => {
  const text = broken.replace(/ {4}volumes.*\n/, '');
  assert.equal(renderChecked(check(text), false), 'app.yaml: valid\n');
  assert.equal(renderSummary([check(text), check(broken)], false), '\n2 files: 1 valid, 1 not valid\n');
});

test('a note is printed and counted as one, and the document is valid', () => {
  const text = broken.replace(/ {4}volumes.*\n/, '    environment: [JWT_SECRET]\n');
  const rendered = renderChecked(check(text), false);
  assert.match(rendered, /^app\.yaml:6:19 note services\.web\.environment\[0\]: .*random.*\[generated-value\]$/m);
  assert.match(rendered, /^app\.yaml: valid \(1 note\)$/m);
  assert.ok(renderChecked(check(text), true).includes('\u001b[36mnote'));
});

test('colors only on request', () => {
  assert.ok(!renderChecked(check(broken), false).includes('\u001b'));
  assert.ok(renderChecked(check(broken), true).includes('\u001b[31merror'));
});

test('what a terminal would obey is not printed', () => {
  const text = broken.replace('./site', '\\e]0;title\\a./site').replace('nginx:1.29', 'nginx:1.29 # \u001b[2J');
  const rendered = renderChecked(check(text.replace('image: ', 'image: \u009b5m')), false);
  assert.doesNotMatch(rendered.replaceAll('\n', ''), /\p{Cc}/u);
});

test('a long line is cut around the place, and the caret still stands below it', () => {
  const text = broken.replace('ports:', `labels: {a: ${'x'.repeat(300)}, b: [}`);
  const lines = renderChecked(check(text), false).split('\n');
  const caret = lines.findIndex((line) => /\^$/.test(line));
  assert.ok(lines[caret - 1]!.length < 130);
  assert.ok(lines[caret - 1]![lines[caret]!.indexOf('^')] !== undefined);
});

test('wide letters take two columns', () => {
  const text = 'name: shop\nservices: { web: { labels: { 日本: 1 }, image: "a:1", privileged: true, ports: [80] } }\n';
  const lines = renderChecked({ ...check(text) }, false).split('\n');
  const at = lines.findIndex((line) => line.includes('privileged: true"'));
  assert.equal(lines[at + 2]!.indexOf('^'), lines[at + 1]!.indexOf('privileged') + 2);
});
