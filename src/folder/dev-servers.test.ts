import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devServerOf } from './dev-servers.ts';

const nameOf = (command: string, files: Record<string, string> = {}, variables: string[] = []) =>
  devServerOf({ command, variables: new Set(variables), readText: (name) => files[name] })?.name;
const scripts = (written: Record<string, string>, more: object = {}) => ({
  'package.json': JSON.stringify({ scripts: written, ...more }),
});

test('development servers that check the host are detected by their start command', () => {
  for (const [command, name] of [
    ['vite', 'Vite'],
    ['npx vite --host 0.0.0.0', 'Vite'],
    ['node_modules/.bin/vite dev', 'Vite'],
    ['sh -c "npm ci && astro dev --host"', 'Vite'],
    ['ng serve --host 0.0.0.0', 'Angular'],
    ['vue-cli-service serve', 'Vue'],
    ['npx webpack serve', 'webpack'],
    ['webpack-dev-server --hot', 'webpack'],
  ] as const)
    assert.equal(nameOf(command), name, command);
  for (const command of [
    'vite build',
    'vite preview',
    'vitest',
    'node server.js',
    'ng build',
    'webpack',
    'next dev',
    '',
  ])
    assert.equal(nameOf(command), undefined, command);
});

test('the scripts of its package.json are followed, also in a circle', () => {
  assert.equal(nameOf('npm run dev', scripts({ dev: 'vite --host' })), 'Vite');
  assert.equal(nameOf('yarn serve', scripts({ serve: 'vue-cli-service serve' })), 'Vue');
  assert.equal(
    nameOf("sh -c 'npm install && npm start'", scripts({ start: 'pnpm run dev', dev: 'ng serve' })),
    'Angular',
  );
  assert.equal(nameOf('npm start', scripts({ start: 'npm start' })), undefined);
  assert.equal(nameOf('npm run constructor', scripts({})), undefined);
  assert.equal(nameOf('npm start', { 'package.json': '{ broken' }), undefined);
});

test('nothing is said where the host is let in, or is not checked', () => {
  assert.equal(nameOf('vite', { 'vite.config.ts': 'server: { allowedHosts: true }' }), undefined);
  assert.equal(nameOf('vite', {}, ['__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS']), undefined);
  assert.equal(nameOf('vite', scripts({}, { devDependencies: { vite: '^4.5.0' } })), undefined);
  assert.equal(nameOf('vite', scripts({}, { devDependencies: { vite: '^7.0.0' } })), 'Vite');
  assert.equal(nameOf('ng serve --allowed-hosts shop.example.com'), undefined);
  assert.equal(nameOf('ng serve', { 'angular.json': '{"disableHostCheck": true}' }), undefined);
  const react = scripts({ start: 'react-scripts start' });
  assert.equal(nameOf('npm start', react), undefined);
  const passing = scripts({ start: 'react-scripts start' }, { proxy: 'http://api:80' });
  assert.equal(nameOf('npm start', passing), 'React');
  assert.equal(nameOf('npm start', passing, ['DANGEROUSLY_DISABLE_HOST_CHECK']), undefined);
});
