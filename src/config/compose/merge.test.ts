import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { readSource } from '../document/source.ts';
import type { Tree } from '../document/tree.ts';
import { mergeDocuments } from './merge.ts';

function tree(text: string): Tree {
  const { source } = readSource(text);
  assert.ok(source, text);
  return source.root;
}

function plain(value: Tree): unknown {
  if (value.kind === 'list') return value.items.map(plain);
  if (value.kind === 'map')
    return Object.fromEntries([...value.entries].map(([name, one]) => [name, plain(one.value)]));
  return value.value;
}

const merged = (base: string, own: string) =>
  stringify(plain(mergeDocuments(tree(`web:\n  ${base}`), tree(`web:\n  ${own}`))), {
    flowCollectionPadding: false,
    collectionStyle: 'flow',
  }).trim();

const rows: [rule: string, base: string, own: string, result: string][] = [
  ['a value is replaced', 'image: a', 'image: b', '{web: {image: b}}'],
  ['a command is not continued', 'command: [a, b]', 'command: [c]', '{web: {command: [c]}}'],
  [
    'nor is the test of a health check',
    'healthcheck: {test: [A], retries: 3}',
    'healthcheck: {test: [B]}',
    '{web: {healthcheck: {test: [B], retries: 3}}}',
  ],
  ['lists are joined', 'dns: [a]', 'dns: [b, a]', '{web: {dns: [a, b]}}'],
  ['a single value joins a list', 'env_file: a', 'env_file: [b]', '{web: {env_file: [a, b]}}'],
  [
    'a list of variables joins a map',
    'environment: [A=1, B=2]',
    'environment: {B: 3}',
    '{web: {environment: {A: "1", B: 3}}}',
  ],
  ['a short build is its context', 'build: ./a', 'build: {target: dev}', '{web: {build: {context: ./a, target: dev}}}'],
  [
    'arguments of a build are joined',
    'build: {args: [A=1]}',
    'build: {args: {B: 2}}',
    '{web: {build: {args: {A: "1", B: 2}}}}',
  ],
  [
    'mounts are matched by their path',
    'volumes: [a:/data, b:/other]',
    'volumes: [c:/data]',
    '{web: {volumes: [b:/other, c:/data]}}',
  ],
  [
    'ports are matched by all their fields',
    "ports: ['80:80', '81:81']",
    "ports: ['80:80', '82:80']",
    '{web: {ports: [81:81, 80:80, 82:80]}}',
  ],
  ['!reset takes away', 'ports: ["80:80"]', 'ports: !reset []', '{web: {}}'],
  ['!override replaces', "ports: ['80:80']", "ports: !override ['81:80']", '{web: {ports: [81:80]}}'],
  ['!override replaces a map', 'environment: {A: 1}', 'environment: !override {B: 2}', '{web: {environment: {B: 2}}}'],
  ['nothing written changes nothing', 'environment: {A: 1}', 'environment:', '{web: {environment: {A: 1}}}'],
  [
    'names that every object has are names like any other',
    'labels: {constructor: a}',
    'constructor: b',
    '{web: {labels: {constructor: a}, constructor: b}}',
  ],
];

for (const [rule, base, own, result] of rows) {
  test(`of a file above another: ${rule}`, () => {
    assert.equal(merged(base, own), result);
  });
}
