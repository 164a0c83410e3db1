/** Folders of source code get a Dockerfile that builds and starts them, and a document that names their port. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFiles } from '../../src/folder/folder-files.ts';
import { draftFolder } from '../../src/folder/starter/draft-folder.ts';
import { makeFolder } from '../support/project-folder.ts';
import { sourceFolders } from './source-folders.ts';

for (const { name, files, port, isGuess = false, lines } of sourceFolders) {
  test(`${name} gets the Dockerfile of its framework`, (t) => {
    const draft = draftFolder(openFiles(makeFolder(t, files)));
    assert.equal(draft.kind, 'draft');
    const dockerfile = draft.files.find((file) => file.name === 'Dockerfile')?.content ?? '';
    assert.deepEqual([draft.port, draft.isGuess], [port, isGuess], draft.found);
    const written = dockerfile.split('\n');
    const places = lines.map((line) => written.indexOf(line));
    assert.ok(!places.includes(-1), `${lines[places.indexOf(-1)]} is not in:\n${dockerfile}`);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      dockerfile,
    );
    const isServer = !dockerfile.includes('FROM nginx') && !dockerfile.includes('FROM php');
    assert.equal(written.includes('USER 1000:1000'), isServer, dockerfile);
  });
}

test('a monorepo with two applications is not deployed as one program', (t) => {
  const app = JSON.stringify({ scripts: { start: 'node server.js' } });
  const files = { 'package.json': '{"workspaces":["apps/*"]}', 'apps/a/package.json': app, 'apps/b/package.json': app };
  assert.equal(draftFolder(openFiles(makeFolder(t, files))).kind, 'nothing');
});

test('names from files of the folder reach a Dockerfile only if they are plain', (t) => {
  const hostile = [
    { 'Cargo.toml': '[package]\nname = "a\\nRUN evil"\n', 'src/main.rs': '' },
    { 'a\nRUN evil.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web"/>' },
    { 'package.json': '{"workspaces":["apps/*"]}', 'apps/a\nRUN evil/package.json': '{"scripts":{"start":"node a"}}' },
    { 'go.mod': '', 'cmd/a\nRUN evil/main.go': 'package main\nfunc main() {' },
    {
      'package.json': '{"scripts":{"build":"ng build"},"dependencies":{"@angular/core":"1"}}',
      'angular.json': '{"projects":{"a\\nRUN evil":{}}}',
    },
    { 'package.json': '{"main":"dist/a\\nRUN evil.js","scripts":{"build":"tsc"}}' },
    { 'requirements.txt': 'a\n', 'main.py': '', Procfile: 'web: a\rRUN evil\n' },
  ];
  for (const files of hostile) {
    const draft = draftFolder(openFiles(makeFolder(t, files as Record<string, string>)));
    const texts = draft.kind === 'draft' ? draft.files.map(({ content }) => content) : [];
    assert.doesNotMatch(texts.join('\n'), /^RUN evil/m);
  }
});
