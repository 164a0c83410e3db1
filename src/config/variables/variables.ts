/**
 * Replaces `${NAME}` in the values of an application with variables of the same pod, or else of other pods. A missing
 * password or key that a pod defines (`generated-secrets.ts`) becomes `<% SECRET NAME %>`, a random value of the
 * deployment that stays the same. Other missing variables become empty, as in Compose. `$NAME` and `$(…)` are not
 * changed, and `$${` becomes `${`. Pure.
 */

import { missingPassword } from '../checks/database-checks.ts';
import { listed, type Path, quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import type { Origin } from '../native/normalise.ts';
import { maxVarLength } from '../native/vars.ts';
import type { AppSpec, PodSpec } from '../spec/spec.ts';
import { type Directory, directoryOf, referencesIn } from '../spec/uses.ts';
import { isShell, runsInShell } from '../values/shell-words.ts';
import { openGenerated, secretUsesOf } from './generated-secrets.ts';
import { ownAddressFor } from './own-address.ts';
import { type Part, readParameters } from './parameter-expansion.ts';
import { secretScriptlet } from './scriptlets.ts';
import { isSecretName } from './secret-names.ts';

/**
 * The maximum length of all replaced values of a document. Otherwise, a few short variables could expand to gigabytes.
 */
const maxTotalLength = 2 * 1024 * 1024;
/** Deepest chain of variables that name others. */
const maxDepth = 20;

type Place = { pod: number; path: Path };
type Definition = { pod: number; value: string };
/** The rest of the value: `@db.pod`, or `@db`, after a password shows whose password it is. */
type Context = { mentions(pod: string): boolean };

export function resolveVariables(spec: AppSpec, origin: Origin, report: Report): AppSpec {
  const definitions = collectDefinitions(spec);
  const directory = directoryOf(spec);
  const known = new Map<string, string | undefined>();
  const said = new Set<string>();
  const generated = new Map<string, Path>();
  const missing = new Map<string, Path>();
  let total = 0;
  let uses: ReturnType<typeof secretUsesOf> | undefined;
  const canBeMadeUp = openGenerated((name) => {
    uses ??= secretUsesOf(spec);
    return uses.get(name) ?? [];
  });

  const once = (key: string, say: () => void) => {
    if (said.has(key)) return;
    said.add(key);
    say();
  };

  /** The value of a variable as the pod sees it; undefined when no pod has it, or it is made of itself. */
  const lookUp = (name: string, from: Place, context: Context, depth: number): string | undefined => {
    const own = spec.pods[from.pod]!.vars;
    if (Object.hasOwn(own, name) && !isItself(own[name]!, name))
      return resolvedValue({ pod: from.pod, value: own[name]! }, name, depth);
    const others = (definitions.get(name) ?? []).filter(({ pod }) => pod !== from.pod);
    const [first] = others;
    if (!first) return undefined;
    const nearby = others.find(({ pod }) => context.mentions(spec.pods[pod]!.name));
    if (!nearby && others.some(({ value }) => value !== first.value)) {
      once(`ambiguous ${name} ${from.pod}`, () =>
        report.warn(
          from.path,
          'ambiguous-variable',
          `pods have different values for ${name}; that of "${spec.pods[first.pod]!.name}" is taken`,
          {
            hint: `write ${name} in the "vars" of this pod`,
          },
        ),
      );
    }
    return resolvedValue(nearby ?? first, name, depth);
  };

  const resolvedValue = ({ pod, value }: Definition, name: string, depth: number): string | undefined => {
    const key = `${pod} ${name}`;
    if (known.has(key)) return known.get(key);
    if (depth >= maxDepth) return undefined;
    // While a variable is being replaced, a reference to itself has no value.
    known.set(key, undefined);
    const resolved = replace(value, { pod, path: origin.variable(pod, name) }, 'value', depth + 1);
    known.set(key, resolved);
    return resolved;
  };

  const replace = (text: string, place: Place, mode: 'value' | 'shell', depth = 0): string => {
    const parts = readParameters(text);
    if (!parts) return text;
    const context = contextOf(text, directory);
    let result = '';
    for (const part of parts) {
      result += part.kind === 'text' ? part.text : parameterValue(part, place, context, mode, depth);
      if (result.length > maxVarLength || total + result.length > maxTotalLength) {
        once(`long ${place.path.join()}`, () =>
          report.error(place.path, 'expands-too-far', 'becomes too long when its variables are replaced'),
        );
        return '';
      }
    }
    total += result.length;
    return result;
  };

  const parameterValue = (
    { name, operator, word, whole }: Extract<Part, { kind: 'parameter' }>,
    place: Place,
    context: Context,
    mode: 'value' | 'shell',
    depth: number,
  ): string => {
    const own = spec.pods[place.pod]!.vars;
    // The pod's own variables are replaced by its shell, as the quotes require.
    if (mode === 'shell' && Object.hasOwn(own, name)) return whole;
    const value = lookUp(name, place, context, depth);
    const isSet = operator?.startsWith(':') ? Boolean(value) : value !== undefined;
    if (operator?.endsWith('+')) return isSet ? replace(word, place, mode, depth + 1) : '';
    if (isSet) return value!;
    if (operator?.endsWith('-')) return depth < maxDepth ? replace(word, place, mode, depth + 1) : '';
    if (canBeMadeUp(name)) {
      if (!generated.has(name)) generated.set(name, place.path);
      return secretScriptlet(name);
    }
    if (mode === 'shell') return whole;
    const database = spec.pods.find(({ image, vars }) => missingPassword(image, Object.keys(vars)) === name);
    if (database) {
      once(`lacked ${name}`, () => {
        const message = `${name} has no value and becomes empty: pod ${database.name} defines none`;
        const hint = `write ${name}: "\${${name}}" in the "vars" of pod ${database.name}: both get the same random one`;
        report.warn(place.path, 'missing-key', message, { hint });
      });
    } else if (isSecretName(name)) {
      if (!missing.has(name)) missing.set(name, place.path);
    } else {
      once(`unset ${name} ${place.pod}`, () => {
        const isThere = spec.pods.some(({ vars }) => Object.hasOwn(vars, name));
        sayUnset(name, place.path, isCircle(name), isThere, report);
      });
    }
    return '';
  };

  /** An existing variable without a value refers to itself, directly or in a cycle. */
  const isCircle = (name: string): boolean =>
    spec.pods.some(({ vars }) => Object.hasOwn(vars, name) && !isItself(vars[name]!, name));

  const replaceWords = (words: string[], place: Place, inShell: boolean) =>
    words.map((word) => replace(word, place, inShell && !isShell(word) ? 'shell' : 'value'));

  const replaceCommand = (pod: PodSpec, index: number, field: 'command' | 'entrypoint') => {
    const words = pod[field];
    if (!words) return {};
    const path = [...origin.pod(index), field];
    return { [field]: replaceWords(words, { pod: index, path }, runsInShell(pod.entrypoint, pod.command)) };
  };

  const replaceCheck = ({ healthCheck }: PodSpec, index: number) => {
    if (!healthCheck || !('command' in healthCheck)) return {};
    const { command } = healthCheck;
    const place = { pod: index, path: [...origin.pod(index), 'healthCheck', 'command'] };
    return { healthCheck: { ...healthCheck, command: replaceWords(command, place, runsInShell(undefined, command)) } };
  };

  const resolved: AppSpec = {
    ...spec,
    pods: spec.pods.map((pod, index) => ({
      ...pod,
      vars: Object.fromEntries(
        Object.entries(pod.vars).map(([name, value]) => {
          const isOwn = !isItself(value, name);
          const path = origin.variable(index, name);
          const resolved = isOwn ? resolvedValue({ pod: index, value }, name, 0) : undefined;
          return [name, resolved ?? replace(value, { pod: index, path }, 'value')];
        }),
      ),
      ...replaceCommand(pod, index, 'entrypoint'),
      ...replaceCommand(pod, index, 'command'),
      ...replaceCheck(pod, index),
      files: pod.files.map((file, position) => {
        // A file with several lines is a program or a template with its own `${…}`.
        const isValue = file.isSecret && !file.content.includes('\n');
        const path = origin.file(index, position);
        return isValue ? { ...file, content: replace(file.content, { pod: index, path }, 'value') } : file;
      }),
    })),
  };
  sayGenerated(generated, report);
  sayMissing(missing, report);
  return resolved;
}

function contextOf(text: string, directory: Directory): Context {
  let pods: Set<string> | undefined;
  return {
    mentions(pod) {
      pods ??= new Set(referencesIn(text, directory).map((reference) => reference.pod));
      return pods.has(pod);
    },
  };
}

function collectDefinitions({ pods }: AppSpec): Map<string, Definition[]> {
  const definitions = new Map<string, Definition[]>();
  pods.forEach((pod, index) => {
    for (const [name, value] of Object.entries(pod.vars)) {
      if (isItself(value, name)) continue;
      const entry = definitions.get(name);
      if (entry) entry.push({ pod: index, value });
      else definitions.set(name, [{ pod: index, value }]);
    }
  });
  return definitions;
}

/** `TOKEN: ${TOKEN}` requires an external value. */
function isItself(value: string, name: string): boolean {
  return value === `\${${name}}`;
}

/** Reports one note for all of them, at the first. */
function sayGenerated(generated: ReadonlyMap<string, Path>, report: Report): void {
  const [first] = generated.values();
  if (!first) return;
  const names = [...generated.keys()];
  const arePasswords = names.every((name) => /PASS(?:WORD|WD|PHRASE)?S?$|PWD$/i.test(name.slice(-20)));
  const what = arePasswords ? 'password' : 'value';
  const isOne = names.length === 1;
  const message = `${listed(names)} ${isOne ? `gets a generated ${what}` : `get generated ${what}s`}`;
  const hint = `${isOne ? 'it' : 'each'} is the same in all pods and stays through updates; to choose it, write it in the "vars" of a pod`;
  report.note(first, 'generated-value', message, { hint });
}

/** Reports one warning for all of them, at the first. */
function sayMissing(missing: ReadonlyMap<string, Path>, report: Report): void {
  const [first] = missing.values();
  if (!first) return;
  const names = [...missing.keys()];
  const isOne = names.length === 1;
  const message = `${listed(names)} ${isOne ? 'has no value and becomes' : 'have no values and become'} empty: no pod defines ${isOne ? 'it' : 'them'}, and what another service gave out cannot be made up`;
  const hint = isOne
    ? `write the value itself here, or ${names[0]} in the "vars" of a pod`
    : 'write the values themselves where they stand, or the names in the "vars" of a pod';
  report.warn(first, 'missing-key', message, { hint });
}

function sayUnset(name: string, path: Path, isCircle: boolean, isThere: boolean, report: Report): void {
  const why = isCircle ? `${name} leads back to itself` : isThere ? `${name} has no value` : `no pod has ${name}`;
  const meant = ownAddressFor(name);
  const hint = meant
    ? `write the value, or ${meant} where the application's own address is meant`
    : `${isThere ? 'write its value' : `write ${name} in the "vars" of a pod`}, or \${${quote(name).slice(1, -1)}:-default}`;
  report.warn(path, 'unset-variable', `${why}: it becomes empty`, { hint });
}
