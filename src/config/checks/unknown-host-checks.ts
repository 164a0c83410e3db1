/** Finds variables that contain the address of a host that does not exist. */
import { isBrowserVariable } from '../software/software.ts';
import type { PodContext } from './context.ts';
import { intendedListener, portOfHost } from './intended-pod.ts';
import type { Text } from './text-checks.ts';

/** `DB_HOST`, `PGHOST`, `apiUrl`, `SMTP_SERVER`; not `HOST` alone, which is the address that a program listens at. */
const addressVariable = /[A-Za-z0-9_.](?:HOST|HOSTNAME|URLS?|URI|ADDR|ADDRESS|SERVERS?|ENDPOINTS?|BROKERS|DSN)$/i;
/** The pod's own address, or names that a program accepts. */
const ownName =
  /(?:^|_)(?:BIND|LISTEN\w*|CORS\w*|ORIGINS?|ALLOW\w*|TRUSTED\w*|WHITELIST|VIRTUAL|ADVERTISED?\w*|COOKIE|INSTANCE|NODE|POD|CONTAINER|SELF|MY)_/i;

const label = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?';
/** Returns whether no public name server resolves the host: it has one label, or belongs to a private network. */
const privateHost = new RegExp(
  `^(?:${label}|(?:${label}\\.){1,6}(?:svc|svc\\.cluster\\.local|local|internal|lan|localdomain))$`,
);
const url = /^(?:jdbc:)?([a-z][a-z0-9+.-]{0,30}):\/\/(?:[^\s/@?#]{0,300}@)?([^\s/@?#]{1,500})(?:[/?#]|$)/i;
const hostList = /^[\w.-]+(?::\d{1,5})?(?:,\s?[\w.-]+(?::\d{1,5})?)*$/;
const fileScheme = /^(?:file|unix|sqlite\d?|data|mailto|urn|npipe|console|docker|oci|git)$/i;
/** Values of such variables that are switches or kinds, not hosts. */
const noHost =
  /^(?:true|false|yes|no|on|off|none|null|nil|undefined|default|auto|any|all|enabled?|disabled?|memory|local|localhost|production|development|test|staging|dev|prod|file|sqlite\d?|mock|console|log|broadcasthost|changeme|placeholder|example|\d+)$/i;

export function checkUnknownHosts(texts: readonly Text[], context: PodContext): void {
  for (const text of texts) {
    if (text.variable === undefined || text.value.length > 2048) continue;
    if (!addressVariable.test(text.variable.slice(-100)) || isBrowserVariable(text.variable)) continue;
    if (ownName.test(`${text.variable}_`)) continue;
    const unknown = addressesIn(text.value).find(({ host }) => isUnknown(host, context));
    if (unknown) reportUnknown(text, unknown, context);
  }
}

type Address = { host: string; port?: number; at: number };

/** The hosts of a value that is an address, or a list of them; empty for any other text. */
function addressesIn(value: string): Address[] {
  const whole = url.exec(value);
  if (whole) {
    if (fileScheme.test(whole[1]!)) return [];
    const authority = whole[2]!;
    return hostList.test(authority) ? partsOf(authority, whole[0].lastIndexOf(authority)) : [];
  }
  return hostList.test(value) ? partsOf(value, 0) : [];
}

function partsOf(list: string, from: number): Address[] {
  return Array.from(list.matchAll(/([\w.-]+)(?::(\d{1,5}))?/g), ({ 1: host, 2: port, index }) => ({
    host: host!,
    at: from + index,
    ...(port !== undefined && { port: Number(port) }),
  }));
}

function isUnknown(host: string, { directory, pod }: PodContext): boolean {
  if (noHost.test(host) || !privateHost.test(host) || directory.podOf(host) !== undefined) return false;
  const { hostname, extraHosts = {} } = pod.container ?? {};
  return host !== hostname && !Object.hasOwn(extraHosts, host);
}

function reportUnknown({ path, value, variable }: Text, { host, port, at }: Address, context: PodContext): void {
  const { spec, pod, report, source } = context;
  const name = host.split('.')[0]!;
  const wrong = { name, variable: variable!, value, port: port ?? portOfHost(variable!, pod.vars) };
  const meant = intendedListener(wrong, spec, pod);
  const message = `"${host}" is neither a pod of this application nor a public name`;
  if (!meant) {
    const names = spec.pods.filter((other) => other !== pod).map((other) => other.name);
    const pods = names.length === 0 ? 'this is the only pod' : `the other pods are ${names.slice(0, 10).join(', ')}`;
    report.warn(path, 'unknown-host', message, { hint: `add a pod "${name}", or write a host that exists; ${pods}` });
    return;
  }
  const instead = `${value.slice(0, at)}${meant.pod.name}.pod${value.slice(at + host.length)}`;
  const [first] = meant.pod.servicePorts;
  report.warn(path, 'unknown-host', message, {
    hint: `write ${meant.pod.name}.pod${first === undefined ? '' : `, which listens on port ${port ?? first}`}`,
    fix: meant.isCertain ? source.rewrite(path, instead) : undefined,
  });
}
