/**
 * Checks hosts in variables and commands: `localhost` instead of another pod, and the deployment's own address as a
 * literal.
 */
import { replaceValue, replaceWithin } from '../document/edits.ts';
import {
  type DatabaseKind,
  databaseNamedBy,
  databaseOf,
  isBrowserVariable,
  isMainDatabase,
  wantsHost,
} from '../software/software.ts';
import type { AppSpec, PodSpec } from '../spec/spec.ts';
import { escapePattern } from '../values/patterns.ts';
import type { PodContext } from './context.ts';
import { portOfHost } from './intended-pod.ts';
import type { Text } from './text-checks.ts';

const local =
  /(?<![A-Za-z0-9_.-])(?:([a-z][a-z0-9+.-]{0,30}):\/\/)?(?:[^\s/@:]{0,200}(?::[^\s/@]{0,200})?@)?(localhost|127\.0\.0\.1)(?::(\d{1,5}))?(?![A-Za-z0-9_.-])/;

export function checkHosts(texts: readonly Text[], context: PodContext): void {
  for (const text of texts) {
    if (text.kind === 'content' || text.value.length > 8192) continue;
    if (text.variable !== undefined) checkLocal(text, context);
    checkOwnHost(text, context);
  }
}

/** Addresses that a program listens at, or accepts, are its own. */
const ownAddress =
  /^(?:HOST|HOSTNAME|ADDR|ADDRESS|SERVER|SERVER_NAME)$|(?:^|_)(?:BIND|LISTEN\w*|IP|CORS\w*|ORIGINS?|ALLOW\w*|TRUSTED\w*|WHITELIST)(?:_|$)/;
/** `DB_HOST`, `DATABASE_HOST`, `DB_URL`: the application's database, of any kind. */
const databaseVariable = /(?:^|_)(?:DB|DATABASE|SQL)_(?:\w+_)?(?:HOST|HOSTNAME|SERVER|ADDR|ADDRESS|URL|URI)$/;
const publicAddress =
  /^(?:(?:APP|BASE|SITE|PUBLIC|ROOT|NEXTAUTH|AUTH|BETTER_AUTH|WEB|WEBHOOK|FRONTEND|CLIENT|SERVER|EXTERNAL|CANONICAL|DOMAIN)_)*(?:URL|ORIGIN)$/;

function checkLocal(text: Text, context: PodContext): void {
  const { pod, spec, report, source } = context;
  const match = local.exec(text.value);
  if (!match) return;
  const [, scheme, host, portText] = match;
  const variable = text.variable!;
  const port = portText === undefined ? portOfHost(variable, pod.vars) : Number(portText);
  const others = spec.pods.filter((other) => other !== pod && port !== undefined && other.servicePorts.includes(port));
  const isOwnPort = port !== undefined && (pod.servicePorts.includes(port) || pod.vars.PORT === String(port));

  if (isBrowserVariable(variable)) {
    reportLocalInBrowser(text, host!, others, context);
    return;
  }
  const kind =
    databaseNamedBy(variable, scheme === undefined ? text.value : `${scheme}:`) ??
    (databaseVariable.test(variable) ? mainDatabaseOf(spec) : undefined);
  const isOwnKind = kind !== undefined && databaseOf(pod.image) === kind;
  if (kind !== undefined && !isOwnKind && !isOwnPort) {
    const [meant, second] = spec.pods.filter((other) => databaseOf(other.image) === kind);
    const isCertain = meant !== undefined && second === undefined;
    report.warn(text.path, 'localhost-reference', `"${host}" is the pod itself, which does not run ${kind}`, {
      hint: meant ? `write ${meant.name}.pod` : `add a pod with ${kind}, and write its name: db.pod`,
      fix: isCertain ? replaceWithin(source, text.path, host!, `${meant.name}.pod`) : undefined,
    });
    return;
  }
  if (isOwnPort || ownAddress.test(variable)) {
    if (publicAddress.test(variable) && isOwnPort && pod.path !== undefined && /^https?$/.test(scheme ?? '')) {
      const written = `${scheme}://${host}:${portText}`;
      const fix = replaceWithin(source, text.path, written, '<% URL %>');
      const message = `"${host}" is the pod itself, and visitors have another address`;
      report.warn(text.path, 'localhost-reference', message, { hint: 'write <% URL %>', fix });
    }
    return;
  }
  const [meant, second] = others;
  if (!meant) return;
  const written = portText === undefined ? host! : `${host}:${port}`;
  const instead = portText === undefined ? `${meant.name}.pod` : `${meant.name}.pod:${port}`;
  const message = `"${host}" is the pod itself, and port ${port} is that of "${meant.name}"`;
  report.warn(text.path, 'localhost-reference', message, {
    hint: `write ${instead}`,
    fix: second ? undefined : replaceWithin(source, text.path, written, instead),
  });
}

/** The kind of the only main database of the application. */
function mainDatabaseOf({ pods }: AppSpec): DatabaseKind | undefined {
  const kinds = pods.map(({ image }) => databaseOf(image)).filter(isMainDatabase);
  return kinds.length === 1 ? kinds[0] : undefined;
}

function reportLocalInBrowser(text: Text, host: string, others: PodSpec[], { pod, report, source }: PodContext): void {
  const target = others.find(({ path }) => path !== undefined) ?? pod;
  const route = target.path === undefined || target.path === '/' ? '' : target.path;
  const whole = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?(\/[^\s]*)?$/.exec(text.value);
  const rest = whole?.[1]?.replace(/\/$/, '') ?? '';
  const instead = `<% URL %>${rest === route || rest.startsWith(`${route}/`) ? rest : `${route}${rest}`}`;
  report.warn(
    text.path,
    'localhost-reference',
    `${text.variable} is read by browsers, where "${host}" is the visitor's machine`,
    {
      hint: `write ${instead.length < 80 ? instead : '<% URL %>'}`,
      fix: whole ? replaceValue(source, text.path, instead) : undefined,
    },
  );
}

/** Common names. A host that begins with one of them may belong to another site. */
const common =
  /^(?:app|web|api|www|site|server|client|demo|test|blog|shop|mail|smtp|cdn|docs|admin|auth|backend|frontend)$/;
const hostPattern =
  /(?<![A-Za-z0-9_.-])(?:(https?|wss?):\/\/)?((?:[a-z0-9-]{1,63}\.){2,8}[a-z][a-z0-9-]{1,62})(?::\d{1,5})?(?![A-Za-z0-9_-])/g;

/**
 * Finds `<word>-<word>-<application>` as the first label, which is the host of a deployment of Berth and similar
 * services. The words change with each deployment.
 */
function checkOwnHost(text: Text, { spec, report, source }: PodContext): void {
  const label = spec.name.replaceAll('.', '-');
  if (label === '' || !text.value.includes(label)) return;
  const said = new Set<string>();
  for (const [whole, scheme, host] of text.value.matchAll(hostPattern)) {
    if (host === spec.url || said.has(host!)) continue;
    const first = host!.slice(0, host!.indexOf('.'));
    const isDeployment = new RegExp(`^[a-z]{2,20}-[a-z]{2,20}-${escapePattern(label)}(?:-|$)`).test(first);
    const isNamed = first === label && /[0-9-]/.test(label);
    if (!isDeployment && !isNamed) continue;
    said.add(host!);
    const isExact = isDeployment && first.endsWith(`-${label}`) && !common.test(label);
    const alone = text.variable !== undefined && wantsHost(text.variable) ? '<% HOST %>' : '<% DOMAIN %>';
    const instead = scheme === undefined ? alone : scheme.startsWith('http') ? '<% URL %>' : `${scheme}://<% DOMAIN %>`;
    report.warn(text.path, 'hard-coded-host', `"${host}" looks like an address of this application, which changes`, {
      hint: `use ${instead}`,
      fix: isExact ? replaceWithin(source, text.path, whole, instead) : undefined,
    });
  }
}
