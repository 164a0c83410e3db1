/** Calls of a process of a simulation, one of which may be its last, or fail. */
import { BackupFault } from '../../src/backup/backup-fault.ts';
import { EngineFault } from '../../src/engine/engine.ts';

/** The fate of a process: `at` counts its calls. */
export type Fate = { at: number; kind: 'death' | 'fault'; isAfter: boolean };

export function fatedCalls(fate: Fate | undefined) {
  const { promise: died, resolve: die } = Promise.withResolvers<'died'>();
  let calls = 0;
  async function call<T>(name: string, perform: () => T): Promise<T> {
    const isMeant = ++calls === fate?.at;
    if (!isMeant) return perform();
    if (fate.isAfter) perform();
    if (fate.kind === 'fault')
      throw name.startsWith('copies') || name === 'observe'
        ? new EngineFault('unavailable', 'It does not answer.')
        : new BackupFault('restic: no');
    die('died');
    return await new Promise<T>(() => {});
  }
  return { call, died };
}
