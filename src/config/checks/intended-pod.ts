/** Suggests the pod that a wrong host name most likely means: by name, by kind of database, by port. Pure. */
import { nearestName } from '../diagnostics/suggest.ts';
import { databaseNamedBy, databaseOf, isMainDatabase } from '../software/software.ts';
import type { AppSpec, PodSpec } from '../spec/spec.ts';
import { escapePattern } from '../values/patterns.ts';

export type WrongHost = { name: string; variable: string; value: string; port?: number | undefined };

const databaseWords = /^(?:db|database|sql|data-?store)$/;

/** Returns the pod with a similar name, or the only pod of the database type that the value refers to. */
export function intendedPod(host: WrongHost, { name: application, pods }: AppSpec): string | undefined {
  const names = pods.map((pod) => pod.name);
  const bare = bareName(host.name, application);
  const close = names.find((own) => own === bare) ?? nearestName(host.name, names);
  if (close !== undefined) return close;
  if (databaseWords.test(bare)) {
    const main = only(pods.filter(({ image }) => isMainDatabase(databaseOf(image))));
    if (main) return main.name;
  }
  const kind = databaseNamedBy(host.variable, host.value) ?? databaseOf(host.name.toLowerCase());
  return kind === undefined ? undefined : only(pods.filter(({ image }) => databaseOf(image) === kind))?.name;
}

/**
 * Returns the only other pod that listens on the port, or else the pod that the name suggests. `isCertain`: both agree.
 */
export function intendedListener(
  host: WrongHost,
  spec: AppSpec,
  pod: PodSpec,
): { pod: PodSpec; isCertain: boolean } | undefined {
  const others = spec.pods.filter((other) => other !== pod);
  const listening = host.port === undefined ? [] : others.filter((other) => other.servicePorts.includes(host.port!));
  const named = others.find(({ name }) => name === intendedPod(host, { ...spec, pods: others }));
  if (named && (host.port === undefined || named.servicePorts.length === 0 || listening.includes(named))) {
    return { pod: named, isCertain: true };
  }
  const listener = only(listening);
  if (listener) return { pod: listener, isCertain: named === undefined };
  return named && { pod: named, isCertain: false };
}

/** Returns the port that belongs to a variable with a host: `DB_PORT` for `DB_HOST`. */
export function portOfHost(variable: string, vars: Record<string, string>): number | undefined {
  const name = variable.replace(/(?:HOST|HOSTNAME|ADDR|ADDRESS|SERVER)$/, 'PORT');
  return name === variable ? undefined : Number(vars[name]) || undefined;
}

function bareName(name: string, application: string): string {
  return name
    .toLowerCase()
    .replace(/-(?:service|svc|pod|app)$/, '')
    .replace(new RegExp(`^${escapePattern(application)}-`), '');
}

function only<T>(values: readonly T[]): T | undefined {
  return values.length === 1 ? values[0] : undefined;
}
