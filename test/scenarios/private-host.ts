/**
 * A machine inside the machine: processes, mounts and network of its own, the file system and the kernel shared. All
 * that runs inside ends with the process that made it. Needs root.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { claim } from '../claim.ts';
import { until } from './berth.ts';

const execute = promisify(execFile);

export type Argv = readonly [string, ...string[]];

export type PrivateHost = {
  /** The address of the machine for the containers, and the address of the containers' services for the machine. */
  address: string;
  outsideAddress: string;
  /** The machine's number of its first process, e.g. for `ip link … netns <pid>`. */
  pid: number;
  /** A program inside, in this process' working directory; its `kill` reaches the program itself. */
  spawn(argv: Argv, options?: SpawnOptions): ChildProcess;
  /** Runs a program inside to its end; what it wrote. */
  run(argv: Argv, env?: NodeJS.ProcessEnv): Promise<string>;
  /** Ends all processes inside. */
  close(): Promise<void>;
};

/** Call `close` when done, also after a failure. */
export async function createPrivateHost(): Promise<PrivateHost> {
  assert.equal(process.getuid?.(), 0, 'a machine inside the machine (mounts, network devices) needs root');
  // Its first process ends when its input does, and with it all others: at the latest when this process ends.
  const holder = spawn(
    'unshare',
    ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'tini', '--', 'cat'],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const pid = await childOf(holder);
  const enter = ([program, ...args]: Argv): Argv => {
    // The directory is looked up inside: outside it is on another mount.
    const inside = ['env', `--chdir=${process.cwd()}`, program, ...args];
    return ['nsenter', `--target=${pid}`, '--net', '--mount', '--pid', '--', ...inside];
  };
  const run: PrivateHost['run'] = async (argv, env = process.env) => {
    const [program, ...args] = enter(argv);
    return (await execute(program, args, { env })).stdout;
  };
  const close = async () => {
    holder.stdin!.end();
    if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'exit');
  };

  try {
    await releaseVolumes(run);
    return {
      ...(await connectNetwork(pid, run)),
      pid,
      run,
      close,
      spawn(argv, options = {}) {
        const [program, ...args] = enter(argv);
        const child = spawn(program, args, options);
        child.kill = (signal) => {
          // A process that has ended has no child, or one that accepts no signal.
          void childOf(child)
            .then((inner) => process.kill(inner, signal))
            .catch((error: NodeJS.ErrnoException) => assert.match(String(error.code), /^(ENOENT|ESRCH)$/));
          return true;
        };
        return child;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Unmounts the volumes of other tests inside. Its mounts are copies, which would keep the loop devices of those volumes for
 * as long as it lives, so that a test that unmounts one waits in vain.
 */
async function releaseVolumes(run: PrivateHost['run']): Promise<void> {
  const mounts = (await run(['cat', '/proc/self/mounts'])).split('\n').map((line) => line.split(' '));
  const volumes = mounts.flatMap(([device, path]) => (device?.startsWith('/dev/loop') && path ? [path] : []));
  // A volume that was just unmounted is not a mount anymore.
  for (const path of volumes) await run(['umount', '--lazy', path]).catch(() => {});
}

/** A cable between the two, with an address at either end: of a range for tests of networks (RFC 2544). */
async function connectNetwork(pid: number, run: PrivateHost['run']) {
  const number = await claimNumber();
  const network = `198.18.${number >> 6}`;
  const [outsideAddress, address] = [1, 2].map((host) => `${network}.${((number & 63) << 2) + host}`) as [
    string,
    string,
  ];
  const device = `berth-${number.toString(36)}`;
  await execute('ip', ['link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
  await execute('ip', ['address', 'add', `${outsideAddress}/30`, 'dev', device]);
  await execute('ip', ['link', 'set', device, 'up']);
  await run(['ip', 'address', 'add', `${address}/30`, 'dev', 'eth0']);
  await run(['ip', 'link', 'set', 'eth0', 'up']);
  await run(['ip', 'link', 'set', 'lo', 'up']);
  return { address, outsideAddress };
}

/** One that no other private host of this machine has, of those networks that fit into 198.18.0.0/16. */
async function claimNumber(): Promise<number> {
  for (;;) {
    const number = randomInt(2 ** 14);
    if (await claim(`private host ${number}`)) return number;
  }
}

/** `unshare` and `nsenter` run their program as a child: it is the first process of other namespaces. */
async function childOf({ pid }: ChildProcess): Promise<number> {
  return await until('the program has started', async () => {
    return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim()) || undefined;
  });
}
