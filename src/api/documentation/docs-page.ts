/** An OpenAPI description → a page. Pure. */
import { escapeHtml } from '../../lib/html.ts';
import { framedPage, onThisPage } from './page-frame.ts';

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
  const heading = `<h1>API</h1><p class="soft">Version ${escapeHtml(info?.version ?? '')} · <a href="/openapi.json">OpenAPI</a> · <a href="/docs/reference/configuration">the configuration</a> and <a href="/schema">its schema</a> · <a href="/docs/reference/api">the same in short</a></p>
<p>${prose(info?.description)}</p>`;
  const requests = groups
    .map(([tag, members]) => `${tag && `<h2>${escapeHtml(tag)}</h2>`}<ul>${members.map(link).join('\n')}</ul>`)
    .join('\n');
  const sections = groups.flatMap(([, members]) => members.map((endpoint) => section(endpoint, origin)));
  return framedPage(
    {
      title: `${info?.title ?? ''} API`,
      asideLabel: 'Requests',
      aside: requests,
      main: [heading, onThisPage(requests), ...sections].join('\n'),
    },
    '/docs',
  );
}

function link({ id, method, path }: Endpoint): string {
  return `<li><a href="#${escapeHtml(id)}"><b class="method">${method}</b> ${escapeHtml(path)}</a>`;
}

function section({ id, method, path, operation }: Endpoint, origin: string): string {
  const { summary, description, parameters = [], requestBody, responses = {} } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const given = parameters.map(({ name, in: place, required, schema, description }) =>
    row(name, `${typeOf(schema)} in the ${place}`, required, description ?? schema?.description),
  );
  const fields = body?.properties ? fieldRows(body) : [];
  return `<section class="request" id="${escapeHtml(id)}">
<h2>${escapeHtml(summary ?? id)}</h2>
<p class="line"><b class="method">${method}</b> <code>${escapeHtml(path)}</code></p>
${description ? `<p>${prose(description)}</p>` : ''}
${table('Parameters', given)}${table('JSON body', fields)}${body && !body.properties ? `<h3>Body</h3><p>${prose(body.description)}</p>` : ''}
<pre tabindex="0"><code>${escapeHtml(example(method, `${origin}${path}`, operation))}</code></pre>
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
  return `${heading && `<h3>${heading}</h3>`}<div class="scroll" tabindex="0"><table>${rows.join('\n')}</table></div>`;
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
