/**
 * Makes system calls and says what came of each: `node syscall.ts 'socket 40 1 0' …` → `EPERM`, or `ok 3`, one a line.
 * Runs in the attacker's pod; the text of this file is in his configuration.
 */
import { dlopen, getInt32 } from 'node:ffi';
import { constants } from 'node:os';

/** On x86-64 and on arm64. */
const numbers: Record<string, [number, number]> = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  clone: [56, 220],
  clone3: [435, 435],
  fsopen: [430, 430],
  init_module: [175, 105],
  io_uring_setup: [425, 425],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount: [165, 40],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  ptrace: [101, 117],
  quotactl: [179, 60],
  reboot: [169, 142],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  socket: [41, 198],
  swapon: [167, 224],
  syslog: [103, 116],
  unshare: [272, 97],
  userfaultfd: [323, 282],
};

const sixNumbers = ['int64', 'int64', 'int64', 'int64', 'int64', 'int64'] as const;
const { syscall, __errno_location: errno } = dlopen('libc.so.6', {
  syscall: { arguments: sixNumbers, return: 'int64' },
  __errno_location: { arguments: [], return: 'pointer' },
}).functions;
const errors = new Map(Object.entries(constants.errno).map(([word, value]) => [value, word]));
for (const call of process.argv.slice(2)) process.stdout.write(`${make(call)}\n`);

function make(call: string): string {
  const [name = '', ...given] = call.split(' ');
  const number = numbers[name]?.[process.arch === 'arm64' ? 1 : 0];
  if (number === undefined) throw new Error(`no system call ${name}`);
  const [a, b, c, d, e] = [...given.map(BigInt), 0n, 0n, 0n, 0n, 0n] as [bigint, bigint, bigint, bigint, bigint];
  const result = syscall!(BigInt(number), a, b, c, d, e);
  if (result >= 0n) return `ok ${result}`;
  const code = getInt32(errno!());
  return errors.get(code) ?? `errno ${code}`;
}
