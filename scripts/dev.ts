/**
 * `npm run dev`: the service and the dashboard, both reloaded when their sources change. The service restarts at
 * <http://localhost:8080>; the dashboard reloads in place at <http://localhost:5173>. The engine is the in-memory one, in
 * which no container runs, unless `BERTH_ENGINE=docker` is set. The data is in `.berth/dev`. Ctrl-C ends both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { settingsOrExit } from '../src/settings/command-line.ts';
import { SetUpError, setUp } from './setup/setup.ts';

const root = join(import.meta.dirname, '..');
process.env.BERTH_ENGINE ??= 'memory';
process.env.BERTH_DATA_DIR ??= join(root, '.berth/dev');
const { engine, runtime, baseUrl } = settingsOrExit();
try {
  await setUp({ engine, runtime });
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  console.error(error.message);
  process.exit(1);
}
console.log(`Service ${baseUrl.origin} (engine: ${engine}), dashboard http://localhost:5173. Ctrl-C ends both.`);
const service = start('--watch', 'src/main.ts');
const dashboard = start('node_modules/vite/bin/vite.js', 'web', '--strictPort', '--clearScreen', 'false');
const children = [service, dashboard];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endAll);
// If one of them ends, the other is useless.
const [code] = (await Promise.race(children.map((child) => once(child, 'exit')))) as [number | null];
endAll();
process.exitCode = code ?? 0;

function start(...args: string[]): ChildProcess {
  const env = { ...process.env, BERTH_BASE_URL: baseUrl.origin };
  return spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
}

function endAll(): void {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
}
