import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seccompProfile } from './seccomp.ts';

type Profile = {
  defaultAction: string;
  archMap: { architecture: string }[];
  syscalls: { names: string[]; action: string; args?: { value: number; valueTwo?: number; op: string }[] }[];
};
const profile = JSON.parse(seccompProfile('amd64')!) as Profile;
const rulesFor = (name: string) => profile.syscalls.filter(({ names }) => names.includes(name));

test('what is not named is refused', () => {
  assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO');
  const dangerous = `bpf chroot fsopen init_module io_uring_setup kexec_load keyctl mount open_by_handle_at perf_event_open
    pivot_root reboot setns swapon syslog unshare userfaultfd`;
  for (const name of dangerous.split(/\s+/)) assert.deepEqual(rulesFor(name), [], name);
});

test('every call has one rule, but for those whose arguments decide', () => {
  const names = profile.syscalls.filter(({ args }) => !args).flatMap(({ names }) => names);
  assert.equal(new Set(names).size, names.length);
  for (const name of ['socket', 'personality', 'clone']) assert.ok(!names.includes(name), name);
  assert.ok(names.every((name) => /^[a-z0-9_]+$/.test(name)));
});

test('sockets are those of the machine, of IP, and of the kernel to its user', () => {
  const families = rulesFor('socket').map(({ action, args }) => [action, args![0]!.op, args![0]!.value].join(' '));
  assert.deepEqual(
    families,
    [1, 2, 10, 16].map((family) => `SCMP_ACT_ALLOW SCMP_CMP_EQ ${family}`),
  );
});

test('the one call of 32-bit programs for all of sockets is refused by name', () => {
  assert.deepEqual(
    rulesFor('socketcall').map(({ action }) => action),
    ['SCMP_ACT_ERRNO'],
  );
});

test('an architecture whose calls are not known has the list of the engine', () => {
  assert.equal(seccompProfile('s390x'), undefined);
  assert.equal(JSON.parse(seccompProfile('arm64')!).archMap[0].architecture, 'SCMP_ARCH_AARCH64');
});

test('a build may do with a file what a pod may, except for taking a lease', () => {
  assert.deepEqual(
    rulesFor('fcntl').map(({ args }) => args),
    [undefined],
  );
  const { syscalls } = JSON.parse(seccompProfile('amd64', true)!) as Profile;
  const rules = syscalls.filter(({ names }) => names.includes('fcntl'));
  const isAllowed = (command: number) =>
    rules.some(({ args }) => (BigInt(command) & BigInt(args![0]!.value)) === BigInt(args![0]!.valueTwo!));
  const [setLease, getLease, dupClosing, seals, lock] = [1024, 1025, 1030, 1033, 6];
  assert.deepEqual([setLease, setLease + 2 ** 32].filter(isAllowed), []);
  assert.ok([getLease, dupClosing, seals, lock].every(isAllowed));
});
