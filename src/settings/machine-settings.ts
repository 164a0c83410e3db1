/** Settings about the machine's resources that all applications together may use. */
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
    help: "memory that all applications together may request: a share of the machine's memory, or a size (16Gi)",
    read: (value: string) => (value.endsWith('%') ? { share: share(value) } : { bytes: size(value) }),
  },
  cpuOvercommit: {
    variable: 'CPU_OVERCOMMIT',
    default: '8',
    help: "CPU that all applications together may request, as a multiple of the machine's processors",
    read: integer(1, 1000),
  },
  gpus: {
    variable: 'GPUS',
    default: '0',
    help: 'GPUs for all applications, one per container; gpus=… in BERTH_TIERS and BERTH_STRANGERS grants them to users',
    read: integer(0, 1000),
  },
  tenantsMemory: {
    variable: 'TENANTS_MEMORY',
    default: '',
    help: 'memory that all applications together may use, 85% or 16Gi; default: the machine keeps a tenth, but at least 1Gi',
    read: (value: string) => (value.endsWith('%') ? { share: share(value) } : { bytes: size(value) }),
  },
  diskRate: {
    variable: 'DISK_RATE',
    default: 'off',
    help: 'maximum reads and writes of a container per second and device: bytes and operations such as 100Mi/2000, or off',
    read: diskRate,
  },
} satisfies { [K in keyof MachineSettings]: Setting<MachineSettings[K]> };

/** `100Mi/2000`. With less than a megabyte or ten operations, every start would stall. */
function diskRate(value: string): MachineSettings['diskRate'] {
  if (value === 'off') return undefined;
  const [, bytes = '', operations] = /^(\w+)\/(\d{1,9})$/.exec(value) ?? [];
  const rate = { bytes: bytes === '' ? 0 : size(bytes), operations: Number(operations) };
  if (rate.bytes >= 1_000_000 && rate.operations >= 10) return rate;
  throw new Unreadable('must be off, or bytes and operations per second such as 100Mi/2000, at least 1M/10');
}
