/** The sources of requests: the description of the API, and values from earlier answers. */

/** The part of an OpenAPI description that requests are generated from. */
export type Operation = {
  method: string;
  path: string;
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[];
  bodies: Record<string, Schema>;
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
};
export type Schema = { type?: string; enum?: string[]; properties?: Record<string, Schema>; required?: string[] };

/** Values from earlier answers: tokens with the matching names, and tokens that were valid once. */
export type Known = {
  tokens: { token: string; name: string }[];
  dead: string[];
  claims: string[];
  /** Clients that may push images, with the first part of the images' names; and the paths of begun uploads. */
  pushers: { token: string; namespace: string }[];
  uploads: string[];
  /** The first part of the names of images that no client here may see. */
  victimNamespace: string;
  /** A signed-in user's cookie, and the origin of the page that sends it. */
  signedIn: { cookie: string; origin: string };
};

export type Asked = {
  /** Undefined for bytes that were not made from the description. */
  operation?: Operation;
  bytes: Buffer;
  /** Well-formed, and to the registry of images, whose words are those of another specification. */
  isRegistry?: true;
  /** Which of the known tokens it carries. */
  token?: string;
};

/** A request is made when it is sent: only then is it known which tokens there are. */
export type Plan = (known: Known) => Asked;

export function operationsIn(description: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  return Object.entries(withoutReferences(description, description).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => {
      const {
        parameters = [],
        requestBody,
        responses = {},
      } = each as {
        parameters?: Operation['parameters'];
        requestBody?: { content: Record<string, { schema: Schema }> };
        responses?: Operation['responses'];
      };
      const bodies = Object.fromEntries(
        Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema]),
      );
      return { method: method.toUpperCase(), path, parameters, bodies, responses };
    }),
  );
}

/** No shape of the description holds itself. */
function withoutReferences<T>(value: T, root: object): T {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, root)) as T;
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return withoutReferences(referred(String(value.$ref), root), root) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutReferences(each, root)])) as T;
}

/** `#/components/schemas/Status` */
function referred(reference: string, root: object): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((value, key) => (value as { [key: string]: object })[key]!, root);
}

/** Control characters in a header would be another request; that is the business of the garbage. */
export function write(
  method: string,
  target: string,
  headers: [string, string][],
  body: string,
  isChunked = false,
): Buffer {
  const content = Buffer.from(body);
  const chunked = isChunked && content.length > 0;
  const bytes = chunked ? inChunks(content) : content;
  const lines = headers.map(([name, value]) => `${name}: ${value.replace(/[\r\n\0]/g, ' ')}`);
  const known = bytes.length > 0 || method === 'POST' ? [`Content-Length: ${bytes.length}`] : [];
  const length = chunked ? ['Transfer-Encoding: chunked'] : known;
  const head = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...length, ...lines, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), bytes]);
}

function inChunks(content: Buffer): Buffer {
  const middle = Math.ceil(content.length / 2);
  const parts = [content.subarray(0, middle), content.subarray(middle), Buffer.alloc(0)];
  const [first, second, last] = parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  return Buffer.concat(content.length === 1 ? [first!, last!] : [first!, second!, last!]);
}
