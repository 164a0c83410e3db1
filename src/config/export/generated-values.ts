/** An application whose generated values are written out, for an export that has them. Pure. */
import type { AppSpec } from '../spec/spec.ts';
import { replaceScriptlets } from '../variables/scriptlets.ts';

/** Other scriptlets stay. Their values depend on where the application runs. */
export function withGeneratedValues(spec: AppSpec, generated: (name: string) => string): AppSpec {
  return mapTexts(spec, (text) =>
    replaceScriptlets(text, (scriptlet) =>
      scriptlet.kind === 'secret' ? generated(scriptlet.name) : `<% ${scriptlet.kind.toUpperCase()} %>`,
    ),
  );
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)])) as T;
}
