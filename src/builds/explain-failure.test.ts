import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainFailure } from './explain-failure.ts';

const failed = (output: string) => explainFailure(output, 'the build ended with 1.');

test('a failure names its step', () => {
  const { because } = failed('STEP 1/3: FROM node\n[2/2] STEP 2/3: RUN npm ci\nnpm error code EUSAGE');
  assert.equal(because, 'the build failed at step 2 of 3, RUN npm ci');
  assert.equal(failed('nothing to read').because, 'the build failed: the build ended with 1.');
});

test('the usual errors have a fix', () => {
  const usual: [string, RegExp][] = [
    ['npm error The `npm ci` command can only install with an existing package-lock.json', /package-lock\.json/],
    ['npm error Missing script: "build"', /script "build"/],
    ['ERR_PNPM_NO_LOCKFILE  Cannot install', /pnpm-lock/],
    ['npm error code ERESOLVE', /agree/],
    ['npm warn EBADENGINE Unsupported engine', /Node version/],
    ['npm warn EBADENGINE Unsupported engine\nnpm error code E404', /not found/],
    ['npm error code SELF_SIGNED_CERT_IN_CHAIN', /certificate/],
    ['Name or service not known\nERROR: No matching distribution found for flask', /cannot reach/],
    ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', /memory/],
    ['error running subprocess: signal: killed', /memory/],
    ['write /app/x: no space left on device', /disk space/],
    ['gyp ERR! find Python', /compiler/],
    ["Error: Cannot find module 'express'", /express/],
    ["ModuleNotFoundError: No module named 'flask'", /flask to requirements/],
    ['ERROR: No matching distribution found for torch==9', /torch==9/],
    ['go: go.mod requires go >= 1.24 (running go 1.22)', /Go 1\.24/],
    ['missing go.sum entry for module', /go mod tidy/],
    [
      'Error: building at STEP "COPY a b": checking on sources: copier: stat: "/a": no such file or directory',
      /\.dockerignore/,
    ],
    ['Error: creating build container: acme/missing:1: image not known', /FROM/],
    ['getaddrinfo EAI_AGAIN registry.npmjs.org', /cannot reach/],
    ['npm error code E404', /not found/],
    ['npm error code E401', /login/],
    ['exec /app: exec format error', /processor/],
    ['/bin/sh: 1: tsc: not found', /program is missing/],
    ['/bin/sh: ./build.sh: Permission denied', /executable/],
  ];
  for (const [output, hint] of usual) assert.match(failed(`STEP 1/1: RUN x\n${output}`).hint ?? '', hint, output);
});

test('the lines are those of the failed step, without its middle', () => {
  const output = ['before', 'STEP 1/1: RUN x', ...Array.from({ length: 60 }, (_, at) => `line ${at}`)].join('\n\n');
  const { lastLines } = failed(output);
  assert.deepEqual([lastLines.length, lastLines[0], lastLines[8], lastLines.at(-1)], [20, 'line 0', '…', 'line 59']);
});
