/**
 * Services on one database must use the same addresses for applications. An application may receive its own address as
 * a value. With different addresses, each service would replace the workloads of the other, and so on.
 */
import { hash } from 'node:crypto';
import { StartError } from './lib/start-error.ts';
import { applicationUrl, type Settings } from './settings/settings.ts';
import type { Database } from './store/database.ts';
import { isPostgres } from './store/dialect/dialect.ts';
import { otherServices } from './store/dialect/postgres.ts';

type AddressSettings = Pick<Settings, 'baseUrl' | 'appsDomain'>;

/** The address part of a service's process name: letters and digits. */
export function addressMark(settings: AddressSettings): string {
  return hash('sha256', applicationUrl(settings, 'site').href, 'hex').slice(0, 12);
}

/**
 * Throws StartError if a running service uses other application addresses. `predecessors`: the number of services that
 * may differ, because they are about to end.
 */
export async function agreeOnAddress(db: Database, settings: AddressSettings, predecessors: number): Promise<void> {
  if (!isPostgres(db)) return;
  const others = differing(await otherServices(db), addressMark(settings));
  if (others.length > predecessors) throw new StartError(anotherAddress);
}

/** PURE. Returns the names of processes with another mark. A name without a dot has no mark. */
export function differing(names: readonly string[], mark: string): string[] {
  return names.filter((name) => name.includes('.') && !name.endsWith(`.${mark}`));
}

const anotherAddress = `Another service works on this database and calls applications by other addresses.
Set the same BERTH_BASE_URL and BERTH_APPS_DOMAIN for both; BERTH_PORT is each one's own.`;
