/** `npm run down`: stops the service and HAProxy and removes everything that carries this installation's label. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { clearPushedCopies } from '../src/control/clear-images.ts';
import { stopEdge } from '../src/edge/haproxy/haproxy.ts';
import { endIsolation } from '../src/engine/docker/firewall/isolate.ts';
import type { Owned } from '../src/engine/engine.ts';
import { isServing, pidFile, startingServices } from '../src/running-service.ts';
import { settingsOrExit } from '../src/settings/command-line.ts';
import { endAll } from '../src/store/deployments.ts';
import { installationOrExit } from './installed.ts';

const stopPatienceMs = 30_000;
const settings = settingsOrExit();
const installation = await installationOrExit(settings);
if (!installation) {
  console.log(`Nothing was started from ${settings.dataDir}.`);
  process.exit(0);
}
const { db, engine, owner, close } = installation;

const owned = await engine.listOwned();
console.log(`This stops Berth at ${settings.dataDir} and removes ${describe(owned)}, with all data in them.`);
if (!process.argv.includes('--yes') && !(await isConfirmed())) {
  console.log('Nothing was changed. With --yes it does not ask.');
  process.exit(1);
}

await stopService();
// The edge first: visitors get no half of an application.
if (await stopEdge(settings.dataDir)) console.log('HAProxy stopped');
const left = await removeAll();
// Images that users have pushed exist only in the data directory. Images of registries stay for the next installation.
await clearPushedCopies({ engine, db }, async () => false).catch(() => []);
// Removed last, and only if nothing is left that the rules isolate.
const hasRules = left === 0 && settings.engine === 'docker';
const rulesProblem = hasRules ? await endIsolation(owner, settings.dataDir).then(() => '', messageOf) : '';
await db.transaction().execute((transaction) => endAll(transaction, Date.now()));
await close();
if (left > 0) console.log(`${left} objects could not be removed; run it again.`);
else if (rulesProblem) console.log(`The firewall rules could not be removed (${rulesProblem}); run it again.`);
else console.log('Everything is removed.');
process.exit(left > 0 || rulesProblem ? 1 : 0);

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Go on? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/**
 * Returns when the service's process, and those that are starting, have ended. An unresponsive one still restarts
 * HAProxy.
 */
async function stopService(): Promise<void> {
  const pid = Number(await readFile(pidFile(settings), 'utf8').catch(() => ''));
  const wasServing = await isServing(settings);
  if (wasServing && !(await isBerth(pid))) throw new Error(`process ${pid} is not Berth`);
  const starting = await startingServices(settings);
  for (const each of wasServing ? [pid, ...starting] : starting) send(each, 'SIGTERM');
  const until = Date.now() + stopPatienceMs;
  const isThere = async () => (await isBerth(pid)) || (await startingServices(settings)).length > 0;
  while ((await isThere()) && Date.now() < until) await delay(50);
  for (const each of await startingServices(settings)) send(each, 'SIGKILL');
  if (wasServing && (await isBerth(pid))) send(pid, 'SIGKILL');
  if (wasServing || starting.length > 0) console.log('Berth stopped');
}

/** The process may have just ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The process ID may have been reused. The service runs one of these two files. */
async function isBerth(pid: number): Promise<boolean> {
  if (!pid) return false;
  // A zombie has no command line.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return /(src\/main|scripts\/start)\.ts/.test(command);
}

/** Removes containers before their volumes and networks. Returns the number of remaining objects. */
async function removeAll(): Promise<number> {
  for (const kind of ['workload', 'volume', 'network', 'group']) {
    const ofKind = (await engine.listOwned()).filter((object) => object.kind === kind);
    await Promise.allSettled(ofKind.map((object) => engine.removeOwned(object)));
  }
  return (await engine.listOwned()).length;
}

function messageOf(error: Error): string {
  return error.message;
}

function describe(objects: Owned[]): string {
  const count = (kind: Owned['kind']) => objects.filter((object) => object.kind === kind).length;
  return `${count('workload')} containers, ${count('volume')} volumes and ${count('network')} networks`;
}
