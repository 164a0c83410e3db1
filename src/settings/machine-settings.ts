/** The settings about what all applications together may take from the machine, and how they stand beside the rest of it. */
import { integer, type Setting, share, size, Unreadable } from './setting-values.ts';

export type MachineSettings = {
  memory: { share: number } | { bytes: number };
  cpuOvercommit: number;
  gpus: number;
  tenantsMemory: { share: number } | { bytes: number } | undefined;
  diskRate: { bytes: number; operations: number } | undefined;
};

export const machineTable = {
  memory: {
    variable: 'MEMORY',
    default: '80%',
    help: "what all applications may request, of the machine's memory or in all (16Gi)",
    read: (value: string) => (value.endsWith('%') ? { share: share(value) } : { bytes: size(value) }),
  },
  cpuOvercommit: {
    variable: 'CPU_OVERCOMMIT',
    default: '8',
    help: "what all applications may request, in times the machine's processors",
    read: integer(1, 1000),
  },
  gpus: {
    variable: 'GPUS',
    default: '0',
    help: 'GPUs that all applications may have, one a container; whom: gpus=… in BERTH_TIERS and BERTH_STRANGERS',
    read: integer(0, 1000),
  },
  tenantsMemory: {
    variable: 'TENANTS_MEMORY',
    default: '',
    help: 'what all applications may hold at most, 85% or 16Gi; default: all but a tenth, at least 1Gi, of the machine',
    read: (value: string) => (value.endsWith('%') ? { share: share(value) } : { bytes: size(value) }),
  },
  diskRate: {
    variable: 'DISK_RATE',
    default: 'off',
    help: 'what a container may read, and write, a second on each device: bytes and operations such as 100Mi/2000, or off',
    read: diskRate,
  },
} satisfies { [K in keyof MachineSettings]: Setting<MachineSettings[K]> };

/** `100Mi/2000`. Less than a megabyte or ten operations would hold up every start. */
function diskRate(value: string): MachineSettings['diskRate'] {
  if (value === 'off') return undefined;
  const [, bytes = '', operations] = /^(\w+)\/(\d{1,9})$/.exec(value) ?? [];
  const rate = { bytes: bytes === '' ? 0 : size(bytes), operations: Number(operations) };
  if (rate.bytes >= 1_000_000 && rate.operations >= 10) return rate;
  throw new Unreadable('must be off, or bytes and operations a second such as 100Mi/2000, at least 1M/10');
}
