/** Maps names of Compose to legal names. The service stays reachable by its old name. */

const podName = /^[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const alias = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Converts names: `my_DB` → `my-db`, `2fa` → `s-2fa`, `x` → `x-service`. A repeated name gets a number. */
export function toPodNames(services: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  // A valid name is not changed because of the others.
  const taken = new Set(services.filter((name) => podName.test(name)));
  for (const service of services) {
    if (podName.test(service)) {
      names.set(service, service);
      continue;
    }
    const slug = slugOf(service) || 'service';
    const lettered = /^[a-z]/.test(slug) ? slug : `s-${slug}`;
    const wanted = (lettered.length === 1 ? `${lettered}-service` : lettered).slice(0, 58).replace(/-+$/, '');
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`;
    taken.add(name);
    names.set(service, name);
  }
  return names;
}

export function isAlias(name: string): boolean {
  return alias.test(name);
}

/** `My_App` → `my-app`, `wp` → `wp-app`: an application's name has 3 to 64 characters. */
export function toApplicationName(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  const lettered = /^[a-z]/.test(slug) ? slug : `app-${slug}`;
  const long = lettered.length >= 3 ? lettered : `${lettered}-app`;
  return long.slice(0, 64).replace(/[^a-z0-9]+$/, '');
}

/** Names of volumes have lower-case letters, digits and hyphens. Duplicates get a number. */
export class VolumeNames {
  readonly #taken = new Set<string>();
  /** The last number of a repeated name, so that thousands of equal names are not counted from 2 each time. */
  readonly #last = new Map<string, number>();

  take(name: string): string {
    const wanted = slugOf(name).slice(0, 57).replace(/-+$/, '') || 'data';
    let free = wanted;
    for (let number = this.#last.get(wanted) ?? 2; this.#taken.has(free); number++) {
      free = `${wanted}-${number}`;
      this.#last.set(wanted, number);
    }
    this.#taken.add(free);
    return free;
  }
}

/** Lower-case letters, digits and hyphens. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
