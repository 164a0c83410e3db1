/**
 * Every system call that the list does not name, called from inside a container by its number: the engine's
 * interpretation of the list counts. 32-bit programs have calls of their own, and one (`socketcall`) for all of
 * sockets.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { findProgram } from '../../scripts/setup/commands.ts';
import { seccompProfile } from '../../src/engine/docker/containers/seccomp.ts';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { type Attacker, deployAttacker } from './attacker.ts';
import { type Abi, callingProgram } from './machine-code.ts';

/** The kernel's last call is number 470 (6.18); more come. */
const count = 512;

/** `uretprobe`, `uprobe`: the kernel lets them past every list, and ends who is not being traced by them (6.14, 6.18). */
const ofTracers = [335, 336];

let berth: Berth;
let attacker: Attacker;

before(async () => {
  berth = await createBerth();
  await berth.serve();
  attacker = await deployAttacker(berth, 'attacker');
});
after(() => berth?.destroy());

const skip = process.arch === 'x64' ? false : 'the programs are made for x86';

for (const [abi, title] of [
  ['x86_64', 'a 64-bit program'],
  ['x86', 'a 32-bit program'],
] as const)
  test(`${title} gets none of the system calls that the list does not name`, { skip }, async () => {
    const named = await nameCalls(abi);
    const refused = [...named].filter(
      ([number, name]) => !isAllowed(name) && !(abi === 'x86_64' && ofTracers.includes(number)),
    );
    // Some 380 of either kind are in the list.
    assert.ok(refused.length > 100 && refused.length < count - 200, `${refused.length}`);
    const program = callingProgram(
      abi,
      refused.map(([number]) => number),
    ).toString('base64');
    const script = 'echo "$1" | base64 -d > /tmp/calls && chmod +x /tmp/calls && /tmp/calls | od -An -td4';
    const [outcome] = await attacker.attempt([
      { by: 'program', argv: ['bash', '-o', 'pipefail', '-c', script, 'bash', program] },
    ]);
    const [, end, output] = /^(.*?): ?(.*)$/s.exec(outcome!)!;
    const passed = [...new Set(output!.split(/\s+/).filter(Boolean))].map((number) => named.get(Number(number)));
    assert.deepEqual({ end, passed }, { end: '0', passed: [] });
  });

const { syscalls } = JSON.parse(seccompProfile('amd64')!) as { syscalls: { names: string[]; action: string }[] };

/** Also calls whose arguments decide, which `container.test.ts` tests. */
function isAllowed(name: string): boolean {
  return syscalls.some(({ names, action }) => action === 'SCMP_ACT_ALLOW' && names.includes(name));
}

/** Returns the names of the engine's library for system calls, by number. `UNKNOWN` for others. */
async function nameCalls(abi: Abi): Promise<Map<number, string>> {
  const program = (await findProgram('scmp_sys_resolver'))!;
  // A shell forks 512 times in a second; this process would take ten.
  const script = 'for number in $(seq 0 "$3"); do "$1" -a "$2" "$number"; done';
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', program, abi, String(count - 1)]);
  return new Map(stdout.trim().split('\n').entries());
}
