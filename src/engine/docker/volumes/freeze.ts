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
 * deployment, which lie in one folder, one freeze at a time is kept, whichever process asks.
 */
export async function freezeAll(mounts: readonly string[]): Promise<{ end(): Promise<number> }> {
  // The words of the script are always these: the mounts are its arguments.
  const keeper = spawn('sh', ['-c', keeperScript, 'sh', dirname(dirname(mounts[0]!)), ...mounts], {
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
  await frozen.promise;
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

function notFrozen(message: string): EngineFault {
  return new EngineFault('unavailable', message);
}

/** Nobody may read what it tells any more: that must not end it before the thaw. */
const keeperScript = `
trap '' HUP INT TERM PIPE
exec 9<"$1"
flock 9
shift
thaw() { for mount; do fsfreeze --unfreeze "$mount"; done; }
thaw "$@"
echo freezing
for mount; do
  fsfreeze --freeze "$mount" || { thaw "$@"; exit 1; }
done
echo frozen
timeout ${longestFreezeSeconds} cat
lasted=$?
thaw "$@"
[ $lasted -eq 0 ] && echo kept
`;
