/** Projects with servers of Node. Each answers with `hello from here`. */
import { type Project, packageOf } from './project.ts';

export const nodeServers: Project[] = [
  {
    name: 'Express',
    files: {
      'package.json': packageOf({ scripts: { start: 'node server.js' }, dependencies: { express: '^5' } }),
      'server.js': `const express = require('express');
const app = express();
app.get('/', (_, r) => r.send('hello from here'));
app.listen(process.env.PORT || 3000);
`,
    },
  },
  {
    name: 'Express with a lock file',
    lock: 'npm',
    files: {
      'package.json': packageOf({
        scripts: { start: 'node server.js' },
        dependencies: { express: '^4' },
        devDependencies: { prettier: '^3' },
      }),
      'server.js': `const express = require('express');
const app = express();
app.get('/', (_, r) => r.send('hello from here'));
app.listen(process.env.PORT || 3000);
`,
    },
  },
  {
    name: 'Node without packages',
    files: {
      'package.json': packageOf({ main: 'server.js' }),
      'server.js': `require('http').createServer((_, r) => r.end('hello from here')).listen(8000)
`,
    },
  },
  {
    name: 'Fastify in TypeScript',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { build: 'tsc', start: 'node dist/server.js' },
        dependencies: { fastify: '^5' },
        devDependencies: { typescript: '^5', '@types/node': '^24' },
      }),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          outDir: 'dist',
          strict: true,
          skipLibCheck: true,
          rootDir: 'src',
        },
        include: ['src'],
      }),
      'src/server.ts': `import Fastify from 'fastify';
const app = Fastify();
app.get('/', async () => 'hello from here');
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' });
`,
    },
  },
  {
    name: 'Express with pnpm',
    lock: 'pnpm',
    files: {
      'package.json': packageOf({ scripts: { start: 'node server.js' }, dependencies: { express: '^5' } }),
      'server.js': `const express = require('express');
const app = express();
app.get('/', (_, r) => r.send('hello from here'));
app.listen(process.env.PORT || 3000);
`,
    },
  },
  {
    name: 'Express with Yarn',
    lock: 'yarn',
    files: {
      // Yarn compares `engines` with the Node that runs it, and the stand-in has another one.
      'package.json': packageOf({
        engines: undefined,
        scripts: { start: 'node server.js' },
        dependencies: { express: '^5' },
      }),
      '.nvmrc': '24\n',
      'server.js': `const express = require('express');
const app = express();
app.get('/', (_, r) => r.send('hello from here'));
app.listen(process.env.PORT || 3000);
`,
    },
  },
  {
    name: 'workspaces of npm',
    lock: 'npm',
    files: {
      'package.json': packageOf({ workspaces: ['apps/*', 'packages/*'] }),
      'apps/api/package.json': packageOf({
        name: 'api',
        scripts: { start: 'node server.js' },
        dependencies: { express: '^5', words: '*' },
      }),
      'apps/api/server.js': `const express = require('express');
const app = express();
app.get('/', (_, r) => r.send(require('words')));
app.listen(process.env.PORT || 3000);
`,
      'packages/words/package.json': packageOf({ name: 'words', main: 'index.js' }),
      'packages/words/index.js': `module.exports = 'hello from here';
`,
    },
  },
  {
    name: 'Hono with Bun',
    lock: 'bun',
    files: {
      'package.json': packageOf({ scripts: { start: 'bun run server.ts' }, dependencies: { hono: '^4' } }),
      'server.ts': `import { Hono } from 'hono';
const app = new Hono();
app.get('/', (c) => c.text('hello from here'));
export default { port: Number(process.env.PORT ?? 3000), fetch: app.fetch };
`,
    },
  },
  {
    name: 'Koa with a Procfile',
    files: {
      'package.json': packageOf({ dependencies: { koa: '^3' } }),
      Procfile: `web: node web.js
`,
      'web.js': `const Koa = require('koa');
const app = new Koa();
app.use((c) => { c.body = 'hello from here'; });
app.listen(process.env.PORT || 5000);
`,
    },
  },
  {
    name: 'Hono with tsx',
    files: {
      'package.json': packageOf({
        type: 'module',
        scripts: { start: 'tsx src/index.ts', dev: 'tsx watch src/index.ts' },
        dependencies: { hono: '^4', '@hono/node-server': '^1' },
        devDependencies: { tsx: '^4' },
      }),
      'src/index.ts': `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
const app = new Hono();
app.get('/', (c) => c.text('hello from here'));
serve({ fetch: app.fetch, port: 3000 });
`,
    },
  },
  {
    name: 'NestJS',
    files: {
      'package.json': packageOf({
        scripts: { build: 'tsc -p tsconfig.json', start: 'node dist/main', 'start:prod': 'node dist/main' },
        dependencies: {
          '@nestjs/common': '^11',
          '@nestjs/core': '^11',
          '@nestjs/platform-express': '^11',
          'reflect-metadata': '^0.2',
          rxjs: '^7',
        },
        devDependencies: { typescript: '^5', '@types/node': '^24' },
      }),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'commonjs',
          outDir: 'dist',
          rootDir: 'src',
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
          skipLibCheck: true,
          esModuleInterop: true,
        },
      }),
      'src/main.ts': `import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
@Controller()
class App { @Get() hello() { return 'hello from here'; } }
@Module({ controllers: [App] })
class Root {}
NestFactory.create(Root).then((app) => app.listen(process.env.PORT ?? 3000));
`,
    },
  },
  {
    name: 'Socket.IO',
    files: {
      'package.json': packageOf({ scripts: { start: 'node index.js' }, dependencies: { 'socket.io': '^4' } }),
      'index.js': `const http = require('http').createServer((_, r) => r.end('hello from here'));
require('socket.io')(http);
http.listen(3000);
`,
    },
  },
  {
    name: 'Express with dotenv',
    files: {
      'package.json': packageOf({
        scripts: { start: 'node .' },
        main: 'app.js',
        dependencies: { express: '^5', dotenv: '^17' },
      }),
      '.env.example': `GREETING=hello from here
`,
      'app.js': `require('dotenv').config();
const express = require('express');
const app = express();
app.get('/', (_, r) => r.send(process.env.GREETING || 'hello from here'));
app.listen(process.env.PORT || 8081);
`,
    },
  },
];
