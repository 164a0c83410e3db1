/** PURE. Which error codes a description lets a request be answered. */

type Media = { schema?: unknown };
type Responses = { [status: string]: { content?: { [type: string]: Media } | undefined } };
type Description = {
  paths?: { [path: string]: { [method: string]: { responses?: Responses | undefined } } } | undefined;
};

/** Undefined where the description has no such request. `path`: without the query. */
export function declaredCodes(description: Description, method: string, path: string): string[] | undefined {
  const found = Object.entries(description.paths ?? {}).find(([template]) => matches(template, path));
  const responses = found?.[1][method.toLowerCase()]?.responses;
  return responses && Object.values(responses).flatMap(({ content = {} }) => Object.values(content).flatMap(codesOf));
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/');
  const given = path.split('/');
  return parts.length === given.length && parts.every((part, index) => part.startsWith('{') || part === given[index]);
}

function codesOf({ schema }: { schema?: unknown }): string[] {
  const { allOf = [] } = (schema ?? {}) as { allOf?: { properties?: { code?: { enum?: string[] } } }[] };
  return allOf.flatMap(({ properties }) => properties?.code?.enum ?? []);
}
