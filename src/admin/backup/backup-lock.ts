/** Allows one backup or restore of a data directory at a time. Two would remove each other's drafts. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A lock of the system's, which ends with the process however that ends. Undefined while another process has it. */
export function acquireBackupLock(dataDir: string): Disposable | undefined {
  const lock = new DatabaseSync(join(dataDir, 'backup.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch {
    lock.close();
    return undefined;
  }
  return { [Symbol.dispose]: () => lock.close() };
}
