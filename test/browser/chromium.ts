/**
 * Chromium in a network of its own, from which it reaches only one port of this machine. Chromium aborts its requests
 * (ERR_NETWORK_CHANGED) when an address of its machine is added or removed: several times a second while tests create
 * containers.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from '../../scripts/setup/browser.ts';
import { joinSockets } from './join-sockets.ts';

const run = promisify(execFile);

export type TestChromium = { browser: Browser; close(): Promise<void> };

/**
 * `port` is this machine's and, within, the same of 127.0.0.1. `root`: the certificate of a further authority that this
 * Chromium trusts, as PEM. Call `close` when done, also after a failure. Needs root.
 */
export async function startChromium(port: number, args: readonly string[] = [], root?: string): Promise<TestChromium> {
  assert.equal(process.getuid?.(), 0, 'a network of its own needs root');
  const folder = await mkdtemp(join(tmpdir(), 'berth-chromium-'));
  const socketPath = join(folder, 'out.sock');
  // A socket in the file system is the same in every network.
  const outside = createServer({ allowHalfOpen: true }, (inner) => {
    joinSockets(inner, createConnection({ port, host: '127.0.0.1', allowHalfOpen: true }));
  });
  outside.listen(socketPath);
  await once(outside, 'listening');
  const gateway = ['ip link set lo up && exec "$@"', 'sh', process.execPath, join(import.meta.dirname, 'gateway.ts')];
  // It ends with its input: at the latest when this process ends.
  const inside = spawn('unshare', ['--net', 'sh', '-c', ...gateway, String(port), socketPath], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const close = async () => {
    inside.stdin.end();
    outside.close();
    await rm(folder, { recursive: true });
  };
  try {
    const [said] = await Promise.race([once(inside.stdout, 'data'), once(inside, 'exit')]);
    assert.equal(String(said), 'open\n', 'the way out of the network is open');
    const executablePath = join(folder, 'chromium');
    const program = (await findBrowser()) ?? chromium.executablePath();
    // `unshare` becomes what it starts: its number is that of the gateway.
    const words = ['nsenter', `--net=/proc/${inside.pid}/ns/net`, program].map((word) => `'${word}'`).join(' ');
    await writeFile(executablePath, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o700 });
    // The sandbox of Chromium refuses to run as root.
    if (root !== undefined) await trust(folder, root);
    const env = { ...process.env, ...(root !== undefined && { HOME: folder }) };
    const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', ...args] });
    return { browser, close: () => browser.close().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In the database below the home directory, where Chromium looks for the authorities that its user trusts. */
async function trust(home: string, root: string): Promise<void> {
  const [file, database] = [join(home, 'root.pem'), join(home, '.pki/nssdb')];
  await writeFile(file, root);
  await mkdir(database, { recursive: true });
  await run('certutil', ['-N', '-d', `sql:${database}`, '--empty-password']);
  await run('certutil', ['-A', '-d', `sql:${database}`, '-n', 'of a test', '-t', 'C,,', '-i', file]);
}
