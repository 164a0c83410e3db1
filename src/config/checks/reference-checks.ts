/** References to other pods in values: that they exist, and are written so that they resolve. */

import { replaceWithin } from '../document/edits.ts';
import { isBrowserVariable } from '../software/software.ts';
import { podNamesIn } from '../spec/pod-addresses.ts';
import { referencesIn } from '../spec/uses.ts';
import { escapePattern } from '../values/patterns.ts';
import type { PodContext } from './context.ts';
import { intendedPod } from './intended-pod.ts';
import type { Text } from './text-checks.ts';

const podPort = /(?<!\$)\$\{([a-z][a-z0-9-]{0,62}):(\d{1,5})\}/g;

/** `${db:5432}` of older documents becomes `db.pod:5432`, in the text too that the next rules look at. */
export function readPodPorts(texts: Text[], { spec, report, source }: PodContext): void {
  const isPod = (name: string) => spec.pods.some((pod) => pod.name === name);
  for (const text of texts) {
    if (text.kind === 'content' || !text.value.includes('${')) continue;
    const said = new Set<string>();
    const value = text.value.replace(podPort, (whole, name: string, port: string) => {
      // `${name:5}` is a part of a variable to a shell.
      if (text.kind === 'command' && !isPod(name)) return whole;
      const address = `${name}.pod:${port}`;
      if (!said.has(whole)) {
        const hint = `write ${address}`;
        const fix = replaceWithin(source, text.path, whole, address);
        report.warn(text.path, 'pod-port-reference', `"${whole}" is read as ${address}`, { hint, fix });
      }
      said.add(whole);
      return address;
    });
    if (value === text.value) continue;
    text.set(value);
    text.value = value;
  }
}

export function checkReferences(texts: readonly Text[], context: PodContext): void {
  const { book, report } = context;
  for (const text of texts) {
    const names = new Set(text.kind === 'content' ? podNamesInAddresses(text.value) : podNamesIn(text.value));
    for (const name of names) if (!book.has(`${name.toLowerCase()}.pod`)) reportUnknown(name, text, context);
    if (text.variable !== undefined && isBrowserVariable(text.variable)) checkBrowser(text, context);
    if (
      names.size === 0 &&
      text.variable !== undefined &&
      /^\$[A-Z][A-Z0-9_]{2,}$|[:/@=]\$[A-Z][A-Z0-9_]{2,}/.test(text.value)
    ) {
      const [variable] = /\$[A-Z][A-Z0-9_]{2,}/.exec(text.value)!;
      const hint = `write \${${variable.slice(1, 60)}} to have it replaced`;
      report.warn(text.path, 'dollar-variable', `"${variable.slice(0, 60)}" is left as it is`, { hint });
    }
  }
}

/** In a program, `pod` may be any property. Only names in addresses count. */
function podNamesInAddresses(content: string): string[] {
  if (!content.includes('.pod')) return [];
  const address = /(?:\/\/|@)([A-Za-z0-9][A-Za-z0-9-]{0,62})\.pod(?![A-Za-z0-9_-])/g;
  return Array.from(content.matchAll(address), ([, name]) => name!);
}

function reportUnknown(name: string, { value, variable, path }: Text, { spec, report, source }: PodContext): void {
  const names = spec.pods.map((pod) => pod.name);
  const meant = intendedPod({ name, variable: variable ?? '', value }, spec);
  const hint = meant ? `did you mean ${meant}.pod?` : `the pods are ${names.slice(0, 10).join(', ')}`;
  const fix = meant === undefined ? undefined : replaceWithin(source, path, `${name}.pod`, `${meant}.pod`);
  report.warn(path, 'unknown-pod', `no pod is named "${name}"`, { hint, fix });
}

/** Browsers cannot resolve names of pods. */
function checkBrowser({ value, variable, path }: Text, { spec, directory, report, source }: PodContext): void {
  const owners = new Map(referencesIn(value, directory, variable).map(({ name, pod }) => [name, pod]));
  for (const [name, owner] of owners) {
    const target = spec.pods.find((pod) => pod.name === owner)!;
    const message = `${variable} is read by browsers, which do not know "${name}"`;
    if (target.path === undefined) {
      const hint = `give the pod "${owner}" a path such as /api, and write <% URL %>/api`;
      report.warn(path, 'pod-in-browser', message, { hint });
      continue;
    }
    const route = target.path === '/' ? '' : target.path;
    const address = new RegExp(`(?:https?://)?${escapePattern(name)}(?::\\d{1,5})?([^\\s,;"']*)`).exec(value);
    const rest = address?.[1] ?? '';
    // The rest after the host stays, unless it already contains the pod's path.
    const instead = `<% URL %>${rest === route || rest.startsWith(`${route}/`) ? rest : `${route}${rest}`}`;
    const isWhole = address?.[0] === value;
    const fix = isWhole ? replaceWithin(source, path, value, instead) : undefined;
    report.warn(path, 'pod-in-browser', message, { hint: `write ${instead.length < 80 ? instead : '<% URL %>'}`, fix });
  }
}
