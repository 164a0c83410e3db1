/** Finds the variables of a Compose file before any of them is replaced. Pure. */
import { missingPassword } from '../checks/database-checks.ts';
import { childOf, entriesOf, type Field, itemsOf, textOf } from '../document/tree.ts';
import { type SecretUse, softwareOf } from '../variables/generated-secrets.ts';

/** The places of each variable by its name: in the environments, commands and secret files of services. */
export function secretUsesIn(document: Field, services: Field): Map<string, SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  for (const [pod, service] of entriesOf(services)) {
    const by = softwareOf(pod, textOf(childOf(service, 'image')) ?? '');
    const add = (name: string, variable?: string) => {
      const use = { by, ...(variable !== undefined && { variable }) };
      const known = uses.get(name);
      if (known) known.push(use);
      else uses.set(name, [use]);
    };
    for (const { name, text } of environmentOf(service)) {
      if (text === undefined) add(name, name);
      for (const used of namesIn(text ?? '')) add(used, name);
    }
    for (const key of ['command', 'entrypoint']) {
      for (const word of wordsAt(childOf(service, key))) for (const used of namesIn(word)) add(used);
    }
    for (const secret of itemsOf(childOf(service, 'secrets'))) {
      const name = textOf(secret.tree.kind === 'map' ? childOf(secret, 'source') : secret);
      const definition = name === undefined ? undefined : childOf(childOf(document, 'secrets'), name);
      const variable = textOf(childOf(definition, 'environment'));
      if (variable !== undefined) add(variable);
      for (const used of namesIn(textOf(childOf(definition, 'content')) ?? '')) add(used);
    }
  }
  return uses;
}

/** The service that does not start without that variable, and does not define it. */
export function serviceWithout(services: Field, name: string): string | undefined {
  const lacking = entriesOf(services).find(([, service]) => {
    const names = environmentOf(service).map((variable) => variable.name);
    return missingPassword(textOf(childOf(service, 'image')) ?? '', names) === name;
  });
  return lacking?.[0];
}

function environmentOf(service: Field): { name: string; text: string | undefined }[] {
  const environment = childOf(service, 'environment');
  if (environment?.tree.kind === 'map') {
    return entriesOf(environment).map(([name, field]) => ({ name, text: textOf(field) }));
  }
  return itemsOf(environment).flatMap((entry) => {
    if (entry.tree.kind === 'map') return entriesOf(entry).map(([name, field]) => ({ name, text: textOf(field) }));
    const [, name, text] = /^([^=]*)(?:=([\s\S]*))?$/.exec(textOf(entry) ?? '') ?? [];
    return name ? [{ name: name.trim(), text }] : [];
  });
}

function wordsAt(field: Field | undefined): string[] {
  return itemsOf(field).flatMap((item) => textOf(item) ?? []);
}

function namesIn(text: string): string[] {
  if (!text.includes('$')) return [];
  return Array.from(text.matchAll(/(?<!\$)(?:\$\$)*\$\{?([A-Za-z_]\w{0,199})/g), ([, name]) => name!);
}
