/** Freezes file systems through the kernel, so that writers wait. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { programEnvironment } from '../../../lib/run-program.ts';
import { EngineFault } from '../../engine.ts';
import { mountedVolume } from './loop-layout.ts';
import { readMounts } from './mount-table.ts';

/** The longest time that writers wait, even if this process dies. */
export const longestFreezeSeconds = 60;

/**
 * A separate process holds the freeze. It thaws on request, when this process dies and when the freeze lasts too
 * long. `end` returns for how many milliseconds writers waited, and throws if the freeze ended earlier. Left-over
 * freezes are thawed first. The volumes of one deployment are in one folder, which has one freeze at a time across
 * processes. When `signal` is aborted, it throws once everything is thawed.
 */
export async function freezeAll(mounts: readonly string[], signal?: AbortSignal): Promise<{ end(): Promise<number> }> {
  signal?.throwIfAborted();
  const keeper = spawnScript(keeperScript, mounts);
  keeper.stdin.on('error', () => {});
  let reported = '';
  const ended = Promise.withResolvers<void>();
  const frozen = Promise.withResolvers<void>();
  let isKilled = false;
  let from = performance.now();
  keeper.stdout.on('data', (piece: Uint8Array) => {
    if (reported === '') from = performance.now();
    reported += String(piece);
    if (reported.includes('frozen\n')) frozen.resolve();
  });
  keeper.once('close', async (_, killedBy) => {
    // Its child process may continue, and hold the lock, until its input ends.
    keeper.stdin.end();
    isKilled = killedBy !== null;
    if (isKilled && reported !== '') await letGo(mounts);
    ended.resolve();
    frozen.resolve();
  });
  keeper.once('error', frozen.reject);
  const giveUp = () => {
    keeper.stdin.end();
    // Also ends the process's children. Before it has the lock, this ends it; after that, it ends by itself.
    if (keeper.pid !== undefined) endGroup(keeper.pid);
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  await frozen.promise.finally(() => signal?.removeEventListener('abort', giveUp));
  if (signal?.aborted) {
    await ended.promise;
    signal.throwIfAborted();
  }
  const end = async () => {
    keeper.stdin.end();
    await ended.promise;
    if (isKilled)
      throw notFrozen('The process that paused writes to the volumes was killed before the copy was complete.');
    if (!reported.includes('kept\n'))
      throw notFrozen(
        `The copy of the volumes was not done in ${longestFreezeSeconds} s, the maximum pause of writes.`,
      );
    return performance.now() - from;
  };
  if (!reported.includes('frozen\n')) throw notFrozen('Writes to the volumes could not be paused for a copy.');
  return { end };
}

/** The scripts are constant. The mounts are arguments. */
function spawnScript(script: string, mounts: readonly string[]) {
  return spawn('nice', ['-n', '-15', 'sh', '-c', script, 'sh', dirname(dirname(mounts[0]!)), ...mounts], {
    env: programEnvironment,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/**
 * `root`: the folder of all volumes. Thaws volumes that were left frozen, for example when all processes of a service
 * were killed at once. Does not affect a freeze that another process holds.
 */
export async function thawLeftovers(root: string): Promise<void> {
  const volumes = [...(await readMounts()).keys()].flatMap((mount) => {
    const volume = mountedVolume(root, mount);
    return volume ? [{ mount, deploymentId: volume.deploymentId }] : [];
  });
  for (const its of Map.groupBy(volumes, ({ deploymentId }) => deploymentId).values())
    await letGo(its.map(({ mount }) => mount));
}

/** Thaws after a keeper that was killed during the freeze, for example by the OOM killer. */
async function letGo(mounts: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ending = spawnScript(letGoScript, mounts);
  // The next freeze repeats a failed thaw.
  ending.once('error', () => resolve());
  ending.once('close', () => resolve());
  ending.stdin.on('error', () => {});
  ending.stdin.end();
  ending.stdout.resume();
  await promise;
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch (error) {
    // The process has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function notFrozen(message: string): EngineFault {
  return new EngineFault('unavailable', message);
}

const commonScript = `
trap '' HUP INT TERM PIPE
shift
thaw() { for mount; do fsfreeze --unfreeze "$mount"; done; }
thaw "$@"
`;

/** A process that holds the lock for longer has a freeze of its own, and has thawed the leftovers. */
const letGoScript = `
exec 9<"$1"
flock --timeout 5 9 || exit
${commonScript}
`;

/**
 * All possible work is done before the freeze: dirty pages are written (`sync`), and the process that watches this one
 * is running. After this process has died, output is discarded, so that it does not end the script before the thaw.
 */
const keeperScript = `
exec 9<"$1" 3<&0
flock 9
${commonScript}
sync --file-system "$@"
timeout ${longestFreezeSeconds} cat <&3 >/dev/null &
echo freezing
for mount; do
  fsfreeze --freeze "$mount" || { thaw "$@"; exit 1; }
done
echo frozen
wait $!
lasted=$?
thaw "$@"
[ $lasted -eq 0 ] && echo kept
`;
