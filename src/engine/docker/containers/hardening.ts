/** PURE. The hardening of every container, for all users. It adds no start time (measured). */
import type { HostConfig } from 'dockerode';
import { builderCapabilities, capabilities } from '../../capabilities.ts';
import type { Runtime } from '../host/runtime.ts';
import { seccompProfile } from './seccomp.ts';

/** Masked as empty: files that reveal the machine or other containers, or allow timing observations. */
const maskedPaths = [
  // The engine's own list, which ours replaces.
  ...['/proc/acpi', '/proc/asound', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats'],
  ...['/proc/sched_debug', '/proc/scsi', '/proc/timer_list', '/proc/timer_stats', '/sys/firmware'],
  '/sys/devices/virtual/powercap',
  // How the machine was started; operators have addresses and keys there.
  '/proc/cmdline',
  // Which disks it has, and which file is behind each volume: paths of the host with the names of others' deployments.
  ...['/proc/diskstats', '/proc/partitions', '/sys/block', '/sys/devices/virtual/block', '/sys/fs/ext4'],
  // Serial numbers, by which a cloud knows its machine.
  '/sys/devices/virtual/dmi',
  // Where the kernel keeps what, for those who look for a way in.
  ...['/proc/kallsyms', '/proc/iomem', '/proc/ioports', '/proc/slabinfo', '/proc/vmallocinfo', '/proc/modules'],
  ...['/proc/kpagecount', '/proc/kpageflags', '/proc/kpagecgroup', '/proc/key-users', '/sys/kernel/vmcoreinfo'],
];

/** The engine's own list, and where older kernels have their control groups: a directory that the engine leaves open. */
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger', '/sys/fs/cgroup'];

/**
 * So that a container may have 256 processes. gVisor makes two of the machine's for each, and up to 60 for itself
 * (measured); when it gets no more, it ends, and the container with it.
 */
const processes = { runc: 256, runsc: 2 * 256 + 192 };

/**
 * Mounts no files of the host, and publishes no port. `architecture`: the host's, by Go's name. `buildsImages`: for
 * the container of an image build.
 */
export function hardening(architecture: string, runtime: Runtime = 'runc', buildsImages = false): HostConfig {
  const profile = seccompProfile(architecture, buildsImages);
  return {
    CapDrop: ['ALL'],
    CapAdd: buildsImages ? builderCapabilities : capabilities,
    SecurityOpt: ['no-new-privileges:true', ...(profile ? [`seccomp=${profile}`] : [])],
    MaskedPaths: maskedPaths,
    ReadonlyPaths: readonlyPaths,
    Privileged: false,
    IpcMode: 'private',
    PidsLimit: processes[runtime],
    Ulimits: [
      // Docker's own default is a million. An engine that is a guest itself may not give more than 20,000 (measured).
      { Name: 'nofile', Soft: 16_384, Hard: 16_384 },
      // A crash writes no image of the memory, with passwords in it, into a volume.
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    // Containers must not learn the machine's domain, and a search domain slows down every external name.
    DnsSearch: ['.'],
    // Reaps orphans and hands signals on: a first process without a handler would ignore SIGTERM.
    Init: true,
    // Users other than root may listen on port 80.
    Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
  };
}
