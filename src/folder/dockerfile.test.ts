import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseImagesOf, readDockerfile } from './dockerfile.ts';

test('the last stage says where the program listens, and what it inherits', () => {
  const image = readDockerfile(`
ARG VERSION=26
FROM node:\${VERSION}-slim AS base
WORKDIR /app
ENV PORT=3000 MODE="a b"
EXPOSE $PORT
FROM base AS build
RUN npm run build
FROM base
COPY --from=build /app/dist ./dist
COPY src ./src/
COPY package*.json .
EXPOSE 9229/tcp 5000/udp
`);
  assert.deepEqual(image, {
    base: 'node:26-slim',
    ports: [3000, 9229],
    env: { PORT: '3000', MODE: 'a b' },
    directory: '/app',
    copies: [
      { sources: ['src'], to: '/app/src/' },
      { sources: ['package*.json'], to: '/app/' },
    ],
  });
});

test('a target is found by name or number, and one that is not there is nothing', () => {
  const text = 'FROM node:26 AS Builder\nEXPOSE 1\nFROM nginx:1\nEXPOSE 2\n';
  assert.deepEqual(readDockerfile(text, { target: 'builder' })?.ports, [1]);
  assert.deepEqual(readDockerfile(text, { target: '0' })?.ports, [1]);
  assert.deepEqual(readDockerfile(text)?.ports, [2]);
  assert.equal(readDockerfile(text, { target: 'other' }), undefined);
  assert.equal(readDockerfile('# nothing\n'), undefined);
});

test('a health check is read in both forms, with its times', () => {
  const check = (line: string) => readDockerfile(`FROM a:1\nHEALTHCHECK ${line}`)?.healthCheck;
  assert.deepEqual(check('--interval=5s --retries=3 CMD curl -f http://localhost/ || exit 1'), {
    test: ['CMD-SHELL', 'curl -f http://localhost/ || exit 1'],
    interval: '5s',
    retries: '3',
  });
  assert.deepEqual(check('CMD ["pg_isready", "-U", "me"]')?.test, ['CMD', 'pg_isready', '-U', 'me']);
  assert.deepEqual(check('NONE')?.test, ['NONE']);
});

test('the command is read in both forms, and an entrypoint ends the one before it', () => {
  assert.equal(readDockerfile('FROM a:1\nCMD ["ng", "serve"]\n')?.command, 'ng serve');
  assert.equal(readDockerfile('FROM a:1\nCMD ng serve\n')?.command, 'ng serve');
  const image = readDockerfile('FROM a:1 AS b\nCMD one\nFROM b\nENTRYPOINT ["npm"]\n');
  assert.deepEqual([image?.entrypoint, image?.command], ['npm', undefined]);
  assert.equal(readDockerfile('FROM a:1 AS b\nENTRYPOINT ["npm"]\nFROM b\nCMD ["start"]\n')?.command, 'start');
});

test('the value of a build argument is used, and text in a heredoc is not an instruction', () => {
  const text = 'ARG TAG=1\nFROM a:$TAG\nRUN <<EOF\nEXPOSE 99\nEOF\nARG PORT=80\nEXPOSE ${PORT}\n';
  assert.deepEqual(readDockerfile(text, { args: { TAG: '2', PORT: '81' } })?.base, 'a:2');
  assert.deepEqual(readDockerfile(text, { args: { TAG: '2', PORT: '81' } })?.ports, [81]);
});

test('lines that are joined, comments between them, and lower case are read', () => {
  const text = 'from a:1\nrun one && \\\n# why\n  two\nexpose \\\n  80 \\\n  81\n';
  assert.deepEqual(readDockerfile(text)?.ports, [80, 81]);
});

test('base images are those of FROM and of --from without stages, as written and with values', () => {
  const text = `
ARG BASE=node
FROM --platform=linux/amd64 \${BASE}:26 AS build
FROM $OTHER
FROM scratch
FROM build
COPY --from=build /a /a
COPY --from=0 /a /a
COPY --from=redis:7 /b /b
RUN --mount=type=bind,from=python:3,target=/p true
COPY --from=redis:7 /c /c
`;
  const same = (image: string) => ({ written: image, image });
  const bases = baseImagesOf(text, { BASE: 'deno' });
  assert.deepEqual(bases, [{ written: '${BASE}:26', image: 'deno:26' }, same('redis:7'), same('python:3')]);
});
