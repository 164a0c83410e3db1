#!/usr/bin/env node
/**
 * `berth` as a command. The sources are TypeScript, which Node runs by itself from 24 on; an older one hands over to
 * the Node that this package brings along.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const entry = join(here, 'berth.ts');

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(entry);
} else {
  const node = join(here, '../../node_modules/node/bin/node');
  if (existsSync(node)) {
    const { status, signal } = spawnSync(node, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = status ?? 2;
  } else {
    process.stderr.write(`berth needs Node 24 or newer, and this is ${process.version}. Run "npm ci" first.\n`);
    process.exitCode = 2;
  }
}
