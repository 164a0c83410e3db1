/** File systems that the kernel freezes: whoever writes to them waits. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { EngineFault } from '../../engine.ts';
import { path as programPath } from './volume-programs.ts';

/** For so long writers wait at the most, whatever becomes of us. */
export const longestFreezeSeconds = 60;

/**
 * A process of its own keeps the freeze, and ends it when we say so, when we die and when it lasts too long: nobody is
 * left frozen by whatever happens to this process. `end` answers for how many milliseconds writers have waited, and throws
 * where the freeze has not lasted until then. What somebody has left frozen before is thawed; of the volumes of one
 * deployment, which lie in one folder, one freeze at a time is kept, whichever process asks. Given up by the `signal`, it
 * throws once nothing is frozen.
 */
export async function freezeAll(mounts: readonly string[], signal?: AbortSignal): Promise<{ end(): Promise<number> }> {
  signal?.throwIfAborted();
  // The words of the script are always these: the mounts are its arguments.
  const keeper = spawn('nice', ['-n', '-15', 'sh', '-c', keeperScript, 'sh', dirname(dirname(mounts[0]!)), ...mounts], {
    env: { PATH: programPath, LC_ALL: 'C' },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  keeper.stdin.on('error', () => {});
  let told = '';
  const ended = Promise.withResolvers<void>();
  const frozen = Promise.withResolvers<void>();
  let from = performance.now();
  keeper.stdout.on('data', (piece: Uint8Array) => {
    if (told === '') from = performance.now();
    told += String(piece);
    if (told.includes('frozen\n')) frozen.resolve();
  });
  keeper.once('close', () => {
    ended.resolve();
    frozen.resolve();
  });
  keeper.once('error', frozen.reject);
  const giveUp = () => {
    keeper.stdin.end();
    // With what it waits for: until it has the lock, this ends it; from then on it ends as it does without us.
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
    if (!told.includes('kept\n'))
      throw notFrozen(
        `The copy of the volumes was not done in ${longestFreezeSeconds} s, for which whoever writes to them waits at the most.`,
      );
    return performance.now() - from;
  };
  if (!told.includes('frozen\n')) throw notFrozen('Whoever writes to the volumes could not be held back for a copy.');
  return { end };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function notFrozen(message: string): EngineFault {
  return new EngineFault('unavailable', message);
}

/**
 * Nothing under the freeze that can be done before: what is to be written is written (`sync`), and what waits for our end is
 * there. The kernel itself then waits until each of its processors has been elsewhere, three times for each file system
 * (measured: 34 of 37 ms), unless it is told not to be lazy about it, for which 7 is our word: by that the next one knows what
 * a killed one has left. Nobody may read what is told any more: that must not end it before the thaw.
 */
const keeperScript = `
exec 9<"$1" 3<&0
flock 9
trap '' HUP INT TERM PIPE
shift
thaw() { for mount; do fsfreeze --unfreeze "$mount"; done; }
hurry=/sys/kernel/rcu_expedited
before=
read -r before <$hurry
[ "$before" = 7 ] && before=0
hurry() { [ -n "$before" ] && echo "$1" >$hurry; }
thaw "$@"
sync --file-system "$@"
timeout ${longestFreezeSeconds} cat <&3 >/dev/null &
hurry 7
echo freezing
for mount; do
  fsfreeze --freeze "$mount" || { hurry "$before"; thaw "$@"; exit 1; }
done
echo frozen
hurry "$before"
wait $!
lasted=$?
thaw "$@"
[ $lasted -eq 0 ] && echo kept
`;
