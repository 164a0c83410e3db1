/** Small Compose files for tests: what they become, and what is said about them, as text. */

import { readCompose } from '../../src/config/compose/compose.ts';
import { inDocumentOrder } from '../../src/config/diagnostics/diagnostics.ts';
import { readSource } from '../../src/config/document/source.ts';
import type { AppSpec, PodSpec } from '../../src/config/spec/spec.ts';

export type Read = {
  spec: AppSpec | undefined;
  pods: PodSpec[];
  /** `error code line: message`, in document order. */
  said: string[];
  errors: string[];
  /** The suggested replacements. */
  hints: string[];
  /** `code line`, errors and warnings, without what a small document without a name always has. */
  codes: string[];
};

export function read(text: string): Read {
  const { source, diagnostics } = readSource(text);
  if (!source) throw new Error(`The test's document is not valid YAML: ${diagnostics[0]?.message}`);
  const { spec, diagnostics: found } = readCompose(source);
  const sorted = inDocumentOrder(found).filter(({ code }) => code !== 'name-default');
  return {
    spec,
    pods: spec?.pods ?? [],
    said: sorted.map(({ severity, code, line, message }) => `${severity} ${code} ${line}: ${message}`),
    errors: sorted.filter(({ severity }) => severity === 'error').map(({ code, line }) => `${code} ${line}`),
    hints: sorted.flatMap(({ hint }) => hint ?? []),
    codes: sorted.map(({ code, line }) => `${code} ${line}`),
  };
}

/** The pod of one service `web`, published on port 80, with further lines of its own. */
export function readWeb(lines: string): Read & { web: PodSpec } {
  const indented = lines
    .trim()
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('');
  const found = read(
    `services:\n  web:\n    image: nginx:1.29\n${indented}    x-berth: { path: / }\n    expose: [80]\n`,
  );
  return { ...found, web: found.pods[0]! };
}
