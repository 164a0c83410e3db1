/** Documents for tests, and what is said about them in one line each. */
import type { Diagnostic } from '../../src/config/diagnostics/diagnostics.ts';
import { type Parsed, parseConfiguration } from '../../src/config/parse.ts';
import type { AppSpec, PodSpec } from '../../src/config/spec/spec.ts';

/** A document of one pod `web` that is valid but for the given lines of it. */
export function podOf(lines: string, name = 'shop'): string {
  return `application:
  name: ${name}
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
${indent(lines, 6)}`;
}

/** The same with further pods, each given by its lines after `- `. */
export function podsOf(...pods: string[]): string {
  const list = pods.map((pod) => `    - ${indent(pod, 6).trimStart()}`).join('\n');
  return `application:\n  name: shop\n  pods:\n${list}\n`;
}

export const web = 'name: web\nimage: nginx:1\npath: /\nservicePorts: [80]';
/** Without a variable, for tests that write their own. */
export const bareDatabase = `name: db
image: postgres:16
servicePorts: [5432]
volumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]`;
export const database = `${bareDatabase}\nvars: { POSTGRES_PASSWORD: pw }`;

function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width));
}

/** `error duplicate-path application.pods[1].path`, one line for each; `valid` without any. */
export function verdictOn(text: string): string {
  const { kind, diagnostics } = parseConfiguration(text);
  const lines = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path}`.trim());
  return [...(kind === 'valid' && lines.length === 0 ? ['valid'] : []), ...lines].join('\n');
}

/** Returns the only diagnostic with a code. Fails if it is missing, or if there are more. */
export function findingIn(text: string, code: string): Diagnostic {
  const { diagnostics } = parseConfiguration(text);
  const found = diagnostics.filter((diagnostic) => diagnostic.code === code);
  if (found.length !== 1) throw new Error(`${found.length} diagnostics ${code} in:\n${verdictOn(text)}`);
  return found[0]!;
}

/** The spec of a valid document; fails with the reasons if it is invalid. */
export function specOf(text: string): AppSpec {
  const parsed: Parsed = parseConfiguration(text);
  if (parsed.kind !== 'valid') throw new Error(`not valid:\n${verdictOn(text)}`);
  return parsed.spec;
}

export function firstPodOf(text: string): PodSpec {
  return specOf(text).pods[0]!;
}
