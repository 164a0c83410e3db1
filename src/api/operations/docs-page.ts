/** An OpenAPI description → a page. Pure. */
import { escapeHtml } from '../../lib/html.ts';

/** What of a description the page shows. */
type Schema = {
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  minLength?: number;
  maxLength?: number;
};
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
};
export type Description = {
  info?: { title?: string; version?: string; description?: string };
  /** In the order in which their operations are told. */
  tags?: readonly { name: string }[];
  paths?: Record<string, unknown>;
};

type Endpoint = { id: string; method: string; path: string; tag: string; operation: Operation };

/** `origin`: where the service is, for the examples. */
export function renderDocs({ info, tags = [], paths = {} }: Description, origin: string): string {
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(
      ([method, operation]): Endpoint => ({
        id: operation.operationId ?? `${method}${path}`,
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? '',
        operation,
      }),
    ),
  );
  // A start comes before what it has started; what has no tag comes last.
  const order = [...tags.map(({ name }) => name), ''];
  const groups = [...Map.groupBy(endpoints, ({ tag }) => tag)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info?.title ?? '')} API</title>
<style>${docsStyle}</style>
<body>
<nav aria-label="Requests"><a class="home" href="/">${escapeHtml(info?.title ?? '')}</a>
${groups.map(([tag, members]) => `${tag && `<h2>${escapeHtml(tag)}</h2>`}<ul>${members.map(link).join('\n')}</ul>`).join('\n')}
</nav>
<main>
<header><p class="soft">Version ${escapeHtml(info?.version ?? '')} · <a href="/openapi.json">OpenAPI</a> · <a href="/docs/configuration.md">the configuration</a> and <a href="/schema">its schema</a> · <a href="/docs/api.md">the same in short</a></p>
<h1>API</h1><p>${prose(info?.description)}</p></header>
${groups.flatMap(([, members]) => members.map((endpoint) => section(endpoint, origin))).join('\n')}
</main>
</html>
`;
}

function link({ id, method, path }: Endpoint): string {
  return `<li><a href="#${escapeHtml(id)}"><b>${method}</b> ${escapeHtml(path)}</a>`;
}

function section({ id, method, path, operation }: Endpoint, origin: string): string {
  const { summary, description, parameters = [], requestBody, responses = {} } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const given = parameters.map(({ name, in: place, required, schema, description }) =>
    row(name, `${typeOf(schema)} in the ${place}`, required, description ?? schema?.description),
  );
  const fields = body?.properties ? fieldRows(body) : [];
  return `<section id="${escapeHtml(id)}">
<h2>${escapeHtml(summary ?? id)}</h2>
<p class="line"><b>${method}</b> <code>${escapeHtml(path)}</code></p>
${description ? `<p>${prose(description)}</p>` : ''}
${table('Parameters', given)}${table('JSON body', fields)}${body && !body.properties ? `<h3>Body</h3><p>${prose(body.description)}</p>` : ''}
<pre><code>${escapeHtml(example(method, `${origin}${path}`, operation))}</code></pre>
<h3>Answers</h3>
<dl>${Object.entries(responses).map(answer).join('')}</dl>
</section>`;
}

function answer([status, { description, content = {} }]: [
  string,
  { description?: string; content?: Content },
]): string {
  const schema = content['application/json']?.schema;
  const kinds = Object.keys(content).filter((kind) => kind !== 'application/json');
  const rows = schema && status.startsWith('2') ? fieldRows(schema) : [];
  const kind = kinds.length > 0 ? ` <span class="soft">${escapeHtml(kinds.join(', '))}</span>` : '';
  return `<dt>${escapeHtml(status)}<dd><p>${prose(description ?? schema?.description)}${kind}</p>${table('', rows)}</dd>`;
}

/** Fields of fields by their path: `status.state`, `reservedDeployments[].url`. Of alternatives, each field once. */
function fieldRows(schema: Schema, prefix = ''): string[] {
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((alternative) => fieldRows(alternative, prefix)))];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}${field.items ? '[]' : ''}`;
    const own = row(path, typeOf(field), schema.required?.includes(name), field.description);
    return [own, ...fieldRows(field.items ?? field, `${path}.`)];
  });
}

function row(name: string, type: string, isRequired: boolean | undefined, description: string | undefined): string {
  const optional = isRequired ? '' : ', optional';
  return `<tr><td><code>${escapeHtml(name)}</code><td class="soft">${escapeHtml(type)}${optional}<td>${prose(description)}`;
}

function table(heading: string, rows: string[]): string {
  if (rows.length === 0) return '';
  return `${heading && `<h3>${heading}</h3>`}<div class="scroll"><table>${rows.join('\n')}</table></div>`;
}

function typeOf({ type, format, enum: values, items }: Schema = {}): string {
  if (values) return values.join(' | ');
  if (items) return `list of ${typeOf(items)}`;
  return format ?? type ?? 'any';
}

/** One that a terminal runs as it is, but for the token. */
function example(method: string, url: string, { parameters = [], requestBody }: Operation): string {
  const content = requestBody?.content ?? {};
  const query = parameters.filter(({ required, in: place }) => required && place === 'query');
  const needsToken = parameters.some(({ name }) => name === 'sessionToken') || 'application/json' in content;
  const address = `${url}${query.length ? `?${query.map(({ name }) => `${name}=shop`).join('&')}` : ''}`;
  const isDocument = 'text/x-yaml' in content;
  const takesToken = needsToken && !url.endsWith('/startUserDeployment') && !url.endsWith('/validate');
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${address}'`,
    ...(takesToken ? ["-H 'Authorization: Bearer <sessionToken>'"] : []),
    ...(isDocument ? ["-H 'Content-Type: text/x-yaml' --data-binary @app.yaml"] : []),
    ...('application/json' in content && !isDocument ? [`--json '${JSON.stringify(jsonExample(content))}'`] : []),
  ].join(' \\\n  ');
}

function jsonExample(content: Content): Record<string, string> {
  const names = content['application/json']?.schema?.required ?? [];
  return Object.fromEntries(names.map((name) => [name, 'shop']));
}

/** Text with `code` in it. */
function prose(text = ''): string {
  return escapeHtml(text).replace(/&#96;(.*?)&#96;/g, '<code>$1</code>');
}

export const docsStyle = `
:root{color-scheme:light dark;--ground:#f6f7f6;--ink:#1b2733;--soft:#566472;--line:#dde3e6;--panel:#fff;--sea:#1d7391}
@media (prefers-color-scheme:dark){:root{--ground:#0e141a;--ink:#e7edf2;--soft:#98a6b3;--line:#222d37;--panel:#141c24;--sea:#62b6d2}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1.5rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.6 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;display:grid;grid-template-columns:19rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:2rem 1.25rem;border-right:1px solid var(--line);font-size:.8125rem}
nav ul{list-style:none;margin:1.25rem 0 0;padding:0}
nav h2{font-size:.8125rem;color:var(--soft);margin:1.5rem 0 0}
nav a{display:block;padding:.2rem 0;color:var(--ink);text-decoration:none;overflow-wrap:anywhere}
nav a:hover{color:var(--sea)}
.home{font-weight:640;font-size:1.0625rem}
b{font-weight:600;font-size:.75em;letter-spacing:.04em;color:var(--sea)}
main{padding:2.5rem clamp(1.25rem,5vw,4rem) 6rem;max-width:60rem}
h1{font-size:2rem;letter-spacing:-.02em;margin:.2rem 0 .75rem}
h2{font-size:1.35rem;letter-spacing:-.012em;margin:0 0 .35rem}
h3{font-size:.8125rem;font-weight:600;color:var(--soft);margin:1.5rem 0 .4rem}
section{margin-top:2.5rem;padding-top:2.5rem;border-top:1px solid var(--line)}
p{margin:.5rem 0;max-width:68ch}
.soft{color:var(--soft);font-size:.875rem}
.line{font-size:1.0625rem}
a{color:var(--sea);text-underline-offset:.2em}
a:focus-visible{outline:2px solid var(--sea);outline-offset:2px}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.9rem 1.1rem;overflow:auto;margin:1.25rem 0 0;line-height:1.5}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
td{padding:.45rem 1rem .45rem 0;border-top:1px solid var(--line);vertical-align:top}
td:nth-child(-n+2){white-space:nowrap}
dl{margin:0}
dt{font-weight:600;margin-top:.9rem}
dd{margin:0}
@media (max-width:52rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}nav ul{columns:2 17rem;column-gap:1.5rem}nav li{break-inside:avoid}td:nth-child(2){white-space:normal}}
`;
