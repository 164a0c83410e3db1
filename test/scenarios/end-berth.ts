/**
 * Ends the parts of a Berth in a test, in any state: service, HAProxy, its objects on the engine, its folder, and last
 * its PostgreSQL, whose folder is the argument. Reads the settings from its environment, as the service did.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { endPostgres } from '../support/postgres.ts';

const dataDir = process.env.BERTH_DATA_DIR!;
// One that is just starting is in no file yet.
for (const pid of await processesOf(dataDir)) process.kill(pid, 'SIGKILL');
// If its database ended first, requests fail, and HAProxy is still ours to end.
const down = [join(import.meta.dirname, '../../scripts/down.ts'), '--yes'];
await promisify(execFile)(process.execPath, down).catch(() => {});
await stopEdge(dataDir);
await rm(dataDir, { recursive: true, force: true });
const postgres = process.argv[2];
if (postgres !== undefined) await endPostgres(postgres);

/** Processes with this data directory in their environment, but for this one. */
async function processesOf(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const wanted = `BERTH_DATA_DIR=${directory}`;
  const own = pids.map(async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    return environment.split('\0').includes(wanted) ? [Number(pid)] : [];
  });
  return (await Promise.all(own)).flat();
}
