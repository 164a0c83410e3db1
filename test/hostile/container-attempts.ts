/** Attempts by root to break out of a container: each by name, with the expected result. */
import type { Attempt } from './agent.ts';

export type Case = {
  name: string;
  attempt: Attempt;
  expected: RegExp;
  /** Looks at what else runs. */
  isAlone?: true;
};

const shell = (script: string, user?: number): Attempt => ({
  by: 'program',
  argv: ['sh', '-c', script],
  ...(user !== undefined && { user }),
});

/** Prints all files of these trees that can be opened for writing. */
const writableFiles = `
  const { closeSync, fstatSync, openSync, readdirSync } = require('node:fs');
  const walk = (folder) => {
    let entries = [];
    try { entries = readdirSync(folder, { withFileTypes: true }); } catch {}
    for (const entry of entries) {
      const path = folder + '/' + entry.name;
      if (entry.isDirectory()) walk(path);
      if (!entry.isFile()) continue;
      try {
        const file = openSync(path, 'a');
        // What is masked is /dev/null.
        if (fstatSync(file).isFile()) console.log(path);
        closeSync(file);
      } catch {}
    }
  };
  walk('/sys'); walk('/proc/sys');
`;

/** A system call, with its numbers, and its expected error. */
export type Call = { name: string; call: string; expected: string };

const refused = (name: string, ...words: (string | number)[]): Call => ({
  name,
  call: words.join(' '),
  expected: 'EPERM',
});

const newUser = 0x10000000;
const newMounts = 0x20000;
const newNetwork = 0x40000000;
const vsock = 40;
const alg = 38;
const packet = 17;
const raw = 3;

export const systemCalls: Call[] = [
  refused('a user namespace, in which it would be root of its own', 'unshare', newUser),
  refused('a mount namespace', 'unshare', newMounts),
  refused('a process in a user namespace', 'clone', newUser | 17),
  { name: 'the same by the newer call, whose flags cannot be looked at', call: 'clone3 0 0', expected: 'ENOSYS' },
  refused("another process' namespaces", 'setns', 0, newNetwork),
  refused('a raw socket, to make up packets', 'socket', 2, raw, 1),
  refused('a packet socket, to listen in on its network', 'socket', packet, raw, 768),
  refused('a socket to the hypervisor, past every firewall', 'socket', vsock, 1, 0),
  refused("a socket to the kernel's cryptography", 'socket', alg, 5, 0),
  refused('a mount', 'mount', 0, 0, 0, 0, 0),
  refused('a mount by the newer calls', 'fsopen', 0, 0),
  refused('a mount moved', 'move_mount', 0, 0, 0, 0, 0),
  refused('another root directory', 'pivot_root', 0, 0),
  refused('a root directory of its own', 'chroot', 0),
  refused('a file by its handle, of any file system of the machine', 'open_by_handle_at', 0, 0, 0),
  refused('a kernel module', 'init_module', 0, 0, 0),
  refused('another kernel', 'kexec_load', 0, 0, 0, 0),
  refused('a program within the kernel', 'bpf', 0, 0, 0),
  refused("the processor's counters, which reveal other processes", 'perf_event_open', 0, 0, 0, 0, 0),
  refused('io_uring', 'io_uring_setup', 1, 0),
  refused('faults of memory handled by itself', 'userfaultfd', 0),
  refused("the kernel's keys", 'keyctl', 0, 0, 0),
  refused("a key among the kernel's keys", 'add_key', 0, 0, 0, 0, 0),
  refused("another process' memory", 'process_vm_readv', 1, 0, 0, 0, 0),
  refused('quotas', 'quotactl', 0, 0, 0, 0),
  refused('accounting of all processes', 'acct', 0),
  refused('swap on a file of its own', 'swapon', 0, 0),
  refused('a restart of the machine', 'reboot', 0xfee1dead, 672274793, 0),
  refused("the machine's clock", 'settimeofday', 0, 0),
  refused('another host name', 'sethostname', 0, 0),
  refused("the kernel's log", 'syslog', 3, 0, 0),
  refused('memory at addresses that can be guessed', 'personality', 0x0040000),
];

export const privileges: Case[] = [
  {
    name: 'it has the seven capabilities that entrypoints need, and cannot get another one',
    attempt: shell("grep -E '^Cap|^NoNewPrivs|^Seccomp:' /proc/self/status | tr -s '\\t\\n' ' '"),
    // chown, dac_override, fowner, kill, setgid, setuid, net_bind_service
    expected:
      /^0: CapInh: 0{16} CapPrm: 0{13}4eb CapEff: 0{13}4eb CapBnd: 0{13}4eb CapAmb: 0{16} NoNewPrivs: 1 Seccomp: 2$/,
  },
  {
    name: 'a program that runs as its owner, root, runs as the user who starts it',
    attempt: shell(
      'mkdir /tmp/own && cp /bin/bash /tmp/own/bash && chmod 4755 /tmp/own/bash && node -e "process.setgid(1000); process.setuid(1000);' +
        " require('node:child_process').spawnSync('/tmp/own/bash', ['-p', '-c', 'echo \\$EUID'], { stdio: 'inherit' })\"",
    ),
    expected: /^0: 1000$/,
  },
  { name: 'another user does not become root', attempt: shell('su root -c id', 1000), expected: /^\d+: (?!.*uid=0)/ },
  { name: 'a block device is not made', attempt: shell('mknod /tmp/disk b 254 0'), expected: /^1: .*not permitted/ },
  {
    name: "the machine's memory is not made a device",
    attempt: shell('mknod /tmp/mem c 1 1'),
    expected: /^1: .*not permitted/,
  },
  {
    name: 'the devices are the usual ones and no others',
    attempt: shell('ls /dev | tr "\\n" " "'),
    expected: /^0: fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero$/,
  },
  {
    name: 'a memory file system is not mounted',
    attempt: shell('mount -t tmpfs none /mnt'),
    expected: /^1: .*(denied|not permitted)/,
  },
  {
    name: 'what is read-only is not made writable',
    attempt: shell('mount -o remount,rw /sys'),
    expected: /^\d+: .*(denied|not permitted)/,
  },
  {
    name: 'setting what runs after a crash, on the machine',
    attempt: shell('echo "|/tmp/x" > /proc/sys/kernel/core_pattern'),
    expected: /^[12]: .*Read-only/,
  },
  {
    name: "setting the machine's memory policy",
    attempt: shell('echo 1 > /proc/sys/vm/overcommit_memory'),
    expected: /^[12]: .*Read-only/,
  },
  {
    name: 'setting the forwarding of its network',
    attempt: shell('echo 1 > /proc/sys/net/ipv4/ip_forward'),
    expected: /^[12]: .*Read-only/,
  },
  {
    name: 'the magic key',
    attempt: shell('echo b > /proc/sysrq-trigger'),
    expected: /^[12]: .*(Read-only|nonexistent)/,
  },
  {
    name: "its own limits, in the machine's control groups",
    attempt: shell('f=$(ls /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null | head -1); echo max > $f'),
    expected: /^[12]: .*Read-only/,
  },
  {
    name: 'a program that the machine runs when a control group is empty',
    attempt: shell(
      'for f in /sys/fs/cgroup/release_agent /sys/fs/cgroup/*/release_agent; do echo /tmp/x > $f && echo written; done',
    ),
    expected: /^\d+: (?!.*written)/,
  },
  {
    name: 'anything of /sys and /proc/sys that could be written',
    attempt: { by: 'program', argv: ['node', '-e', writableFiles] },
    expected: /^0: $/,
  },
];

export const knowledge: Case[] = [
  {
    name: 'the name of the machine',
    attempt: shell('hostname; cat /etc/hostname /proc/sys/kernel/hostname'),
    expected: /^0: web\nweb\nweb$/,
  },
  {
    name: "the machine's domain and resolvers",
    attempt: shell('cat /etc/resolv.conf'),
    expected: /^0: (?!.*search)nameserver 127\.0\.0\.11\n/,
  },
  {
    name: 'who has started the service, or any of its settings',
    attempt: shell('env | cut -d= -f1 | sort | tr "\\n" " "'),
    expected: /^0: ((HOME|HOSTNAME|NODE_VERSION|PATH|PWD|SHLVL|YARN_VERSION)( |$))+$/,
  },
  { name: 'how the machine was started', attempt: shell('cat /proc/cmdline'), expected: /^0: $/ },
  {
    name: 'which disks it has',
    attempt: shell('cat /proc/partitions /proc/diskstats; ls /sys/block /sys/devices/virtual/block'),
    expected: /^\d+: \/sys\/block:\s+\/sys\/devices\/virtual\/block:$/,
  },
  {
    name: 'where its kernel keeps what',
    attempt: shell('cat /proc/kallsyms /proc/iomem /proc/modules /proc/kcore 2>/dev/null; true'),
    expected: /^0: $/,
  },
  {
    name: 'its firmware and serial numbers',
    attempt: shell('ls /sys/firmware /sys/devices/virtual/dmi 2>/dev/null; cat /sys/class/dmi/id/* 2>/dev/null; true'),
    expected: /^0: (\/sys\/(firmware|devices\/virtual\/dmi):\s*)*$/,
  },
  {
    name: 'any process but its own',
    attempt: shell('ps -o args | grep -vE "^COMMAND|^\\[|docker-init|node|sh -c|^(ps|grep)( |$)"; true'),
    isAlone: true,
    expected: /^0: $/,
  },
  {
    name: 'a socket of the engine, or any other one',
    attempt: shell('find / -xdev -type s 2>/dev/null; ls /var/run/docker.sock /run/docker.sock 2>/dev/null; true'),
    expected: /^0: $/,
  },
  {
    name: 'a path of the machine among its mounts: only what the engine brings for every container',
    attempt: shell("awk '$1 ~ /^\\/dev\\/[a-z]/ { print $2 }' /proc/mounts | sort | tr '\\n' ' '"),
    expected: /^0: \/etc\/hostname \/etc\/hosts \/etc\/resolv\.conf( (\/usr)?\/sbin\/docker-init)?$/,
  },
];
