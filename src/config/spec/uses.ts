/**
 * Finds the pods that a pod uses: pods that it waits for, and pods whose names are hosts in its variables, commands and
 * files. A name alone may mean something else: a pod `postgres` may also have a user, a database and a driver of that
 * name. Pure.
 */
import { addressBook } from './pod-addresses.ts';
import type { AppSpec, PodSpec } from './spec.ts';

/** Finds a pod by name, and its ports. */
export type Directory = {
  podOf(name: string): string | undefined;
  portsOf(pod: string): readonly number[];
};

export type Reference = {
  pod: string;
  /** The name as written, such as `db.pod` or `db`. */
  name: string;
  /** The position of the name in the text. */
  at: number;
};

export function directoryOf(spec: AppSpec): Directory {
  const book = addressBook(spec);
  const ports = new Map(spec.pods.map(({ name, servicePorts }) => [name, servicePorts]));
  return {
    // Host names are case-insensitive. Names of pods are in lower case.
    podOf: (name) => book.get(name) ?? book.get(name.toLowerCase()),
    portsOf: (pod) => ports.get(pod) ?? [],
  };
}

/** For every pod the others that it uses, in the document's order. */
export function usesOf(spec: AppSpec): Map<string, string[]> {
  const directory = directoryOf(spec);
  return new Map(
    spec.pods.map((pod) => {
      const used = new Set([...pod.dependsOn, ...namedBy(pod, directory)]);
      used.delete(pod.name);
      return [pod.name, spec.pods.map(({ name }) => name).filter((name) => used.has(name))];
    }),
  );
}

function namedBy({ vars, entrypoint = [], command = [], files }: PodSpec, directory: Directory): string[] {
  const variables = Object.entries(vars).filter(([variable]) => !tellsOfCallers(variable));
  return [
    ...variables.flatMap(([variable, value]) => referencesIn(value, directory, variable)),
    ...referencesIn([...entrypoint, ...command].join(' '), directory),
    ...files.flatMap(({ content }) => referencesIn(content, directory)),
  ].map(({ pod }) => pod);
}

/** `CORS_ORIGIN`, `ALLOWED_HOSTS`: the value names callers of this pod, not hosts that it calls. */
function tellsOfCallers(variable: string): boolean {
  return /(?:^|_)(?:CORS|CSRF|ALLOW|ALLOWED|TRUSTED|WHITELIST)_|(?:^|_)ORIGINS?$/i.test(variable.slice(0, 200));
}

/** Variables whose whole value is a host: `DB_HOST`, `MEMCACHED_SERVERS`, `discovery.seed_hosts`, `PGHOST`, `dbHost`. */
const hostVariable =
  /(?:HOSTS?|HOSTNAME|SERVERS?|ADDR|ADDRESS|ADDRESSES|ENDPOINTS?|URLS?|URI|BROKERS?|SEEDS|UPSTREAM|[._](?:NODES|PEERS|SERVICE))$/i;

/** Returns the names of pods in host positions. `variable`: the name of the variable with this value. */
export function referencesIn(text: string, directory: Directory, variable = ''): Reference[] {
  const areHosts = hostVariable.test(variable.slice(-100)) && isListOfHosts(text);
  const references: Reference[] = [];
  for (const { 0: word, index: at } of text.matchAll(/[A-Za-z0-9_][\w.-]*/g)) {
    // A document can have 100,000 words: nearly all are not names.
    const name = word.endsWith('.') ? word.replace(/\.{1,3}$/, '') : word;
    const pod = directory.podOf(name);
    if (pod === undefined) continue;
    const before = text.slice(Math.max(0, at - maxBefore), at);
    const after = text.slice(at + name.length, at + name.length + maxAfter);
    if (areHosts || standsAsHost(name, before, after, directory.portsOf(pod))) references.push({ pod, name, at });
  }
  return references;
}

/** `db`, `db:5432`, `kafka-1,kafka-2:9092`. */
function isListOfHosts(text: string): boolean {
  return text.length < 2000 && /^\s*[\w.-]+(?::\d+)?(?:(?:\s*[,;]\s*|\s+)[\w.-]+(?::\d+)?)*\s*$/.test(text);
}

/** The range that is searched around a name: a key, or the parts of an address. */
const maxBefore = 160;
const maxAfter = 300;
const maxOfKey = 40;

/** The preceding word is a user or a password, as in `//user:password@host`, possibly with a scriptlet or variable. */
const userAhead = /^(?::(?:<%[^%<>]*%>|\$\{[^{}]*\}|[^\s/@,<$]|<(?!%)|\$(?!\{))*)?@/;
const userBefore = /[:/}>][^\s"'`(]*@$/;
const hostKey = /(?:^|[\s"'{[;,?&])[\w.-]*(?:host|hosts|hostname|server|addr|address)["']?\s{0,9}[=:]\s{0,9}["']?$/i;
const hostOption = /(?:^|\s)(?:-h|--[a-z-]*(?:host|hostname|server|addr|address))[ =]["']?$/i;

function standsAsHost(name: string, before: string, after: string, ports: readonly number[]): boolean {
  if (/[\w$.{-]$/.test(before)) return false;
  if (name.toLowerCase().endsWith('.pod')) return true;
  if (userAhead.test(after)) return false;
  if (before.endsWith('://') || (before.endsWith('@') && userBefore.test(before))) return true;
  if (before.endsWith('/')) return false;
  const key = before.slice(-maxOfKey);
  if (hostKey.test(key) || hostOption.test(key)) return true;
  const port = /^(?::(\d{2,5})(?![\w@.-])|\s(\d{3,5})(?![\w.-]))/.exec(after);
  if (!port) return false;
  // After a colon, a short number is usually a version (`postgres:16`), and after a space it can be any number.
  const isOwn = ports.includes(Number(port[1] ?? port[2]));
  return isOwn || (port[1] !== undefined && port[1].length > 2);
}
