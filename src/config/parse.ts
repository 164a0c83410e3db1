/** The way in: a text → diagnostics and, when none of them is an error, an AppSpec. */
import { checkSpec } from './checks.ts';
import { type Diagnostic, inDocumentOrder } from './diagnostics.ts';
import { normalise } from './normalise.ts';
import type { Configuration } from './schema.ts';
import { checkShape } from './shape.ts';
import { readSource } from './source.ts';
import type { AppSpec } from './spec.ts';

export type Parsed =
  | { kind: 'valid'; spec: AppSpec; diagnostics: Diagnostic[] }
  | { kind: 'invalid'; diagnostics: Diagnostic[] }
  /** Not YAML at all. */
  | { kind: 'unparsable'; diagnostics: Diagnostic[] };

/** Never throws. All problems at once, in document order; warnings never make a document invalid. */
export function parseConfiguration(text: string): Parsed {
  const { source, diagnostics: syntax } = readSource(text);
  if (!source) return { kind: 'unparsable', diagnostics: inDocumentOrder(syntax) };

  const shape = checkShape(source);
  if (hasError(shape)) return { kind: 'invalid', diagnostics: inDocumentOrder(shape) };

  const { spec, diagnostics: reading } = normalise(source.value as Configuration, source);
  const diagnostics = inDocumentOrder([...shape, ...reading, ...checkSpec(spec, source)]);
  return hasError(diagnostics) ? { kind: 'invalid', diagnostics } : { kind: 'valid', spec, diagnostics };
}

function hasError(diagnostics: Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
