/** Settings about the machine's resources that all applications together may use. */
import { fieldGroup, integer, shareOrSize, size, type Table, Unreadable } from './setting-values.ts';

type Capacity = {
  memory: { share: number } | { bytes: number };
  tenantsMemory: { share: number } | { bytes: number } | undefined;
  cpuOvercommit: number;
  gpus: number;
};

export type MachineSettings = Capacity & { diskRate: { bytes: number; operations: number } | undefined };

export const machineTable = {
  capacity: fieldGroup<Capacity>(
    'CAPACITY',
    "what all applications together may request: memory (a share of the machine's, or a size such as 16Gi), CPU as a multiple of the machine's processors, and GPUs, which gpus=… in BERTH_TIERS and BERTH_STRANGERS grants to users; memory-limit (85% or 16Gi) is what they may use, by default all but a tenth, and at least 1Gi less than the machine has",
    {
      memory: { name: 'memory', default: '80%', read: shareOrSize },
      tenantsMemory: { name: 'memory-limit', default: '', read: shareOrSize },
      cpuOvercommit: { name: 'cpu-overcommit', default: '8', read: integer(1, 1000) },
      gpus: { name: 'gpus', default: '0', read: integer(0, 1000) },
    },
  ),
  diskRate: {
    variable: 'DISK_RATE',
    default: 'off',
    help: 'maximum reads and writes of a container per second and device: bytes and operations such as 100Mi/2000, or off',
    read: diskRate,
  },
} satisfies Table<{ capacity: Capacity; diskRate: MachineSettings['diskRate'] }>;

/** `100Mi/2000`. With less than a megabyte or ten operations, every start would stall. */
function diskRate(value: string): MachineSettings['diskRate'] {
  if (value === 'off') return undefined;
  const [, bytes = '', operations] = /^(\w+)\/(\d{1,9})$/.exec(value) ?? [];
  const rate = { bytes: bytes === '' ? 0 : size(bytes), operations: Number(operations) };
  if (rate.bytes >= 1_000_000 && rate.operations >= 10) return rate;
  throw new Unreadable('must be off, or bytes and operations per second such as 100Mi/2000, at least 1M/10');
}
