/** `configs` and `secrets` → files of the container, with the content that the document has. */

import { quote } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { childOf, entriesOf, entryOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import type { FileAccess, FileSpec } from '../spec/spec.ts';
import { readAccess } from '../values/container-values.ts';
import { isTrue, keyOf, type Reading } from './compose-reader.ts';
import { reporterAt } from './container-keys.ts';

export type MountedFile = { file: FileSpec; field: Field };

type Kind = 'configs' | 'secrets';

/** Reads the files of one service after another. An unreadable definition is reported once. */
export function openFiles(document: Field, reading: Reading): (service: Field) => MountedFile[] {
  const contents = new Map<string, string | undefined>();

  const contentOf = (kind: Kind, name: string, use: Field): string | undefined => {
    const top = childOf(document, kind);
    const definition = top && entryOf(top, name);
    if (!definition) {
      const guess = nearestName(name, top ? entriesOf(top).map(([key]) => key) : []);
      const hint = guess ? `did you mean "${guess}"?` : `add it: ${kind}: { ${name}: { content: … } }`;
      reading.error(
        use,
        kind === 'configs' ? 'unknown-config' : 'unknown-secret',
        `no entry "${name}" in the top-level "${kind}"`,
        hint,
      );
      return undefined;
    }
    const key = `${kind} ${name}`;
    if (!contents.has(key)) contents.set(key, readContent(kind, name, definition, reading));
    return contents.get(key);
  };

  return (service) =>
    (['secrets', 'configs'] as const).flatMap((kind) =>
      itemsOf(childOf(service, kind)).flatMap((field): MountedFile[] => {
        const use = readUse(kind, field, reading);
        if (!use) return [];
        const content = contentOf(kind, use.source, field);
        return content === undefined
          ? []
          : [{ file: { path: use.path, content, isSecret: kind === 'secrets', ...use.access }, field }];
      }),
    );
}

type Use = { source: string; path: string; access: FileAccess };

function readUse(kind: Kind, field: Field, reading: Reading): Use | undefined {
  const isLong = field.tree.kind === 'map';
  const sourceField = isLong ? childOf(field, 'source') : field;
  if (!sourceField) {
    reading.error(field, 'missing-field', 'has no "source"', `write the name of one of the top-level "${kind}"`);
    return undefined;
  }
  const source = reading.text(sourceField);
  if (source === undefined) return undefined;
  const targetField = isLong ? childOf(field, 'target') : undefined;
  const target = (targetField && reading.text(targetField)) || source;
  const path = target.startsWith('/') ? target : kind === 'secrets' ? `/run/secrets/${target}` : `/${target}`;
  const hasControls = [...path].some((character) => character < ' ');
  if (path.endsWith('/') || path.split('/').includes('..') || hasControls) {
    reading.error(
      targetField ?? field,
      'bad-file-path',
      `${quote(target)} is not the path of a file`,
      'for example /etc/app.conf',
    );
    return undefined;
  }
  return { source, path, access: isLong ? accessOf(field, reading) : {} };
}

function accessOf(field: Field, reading: Reading): FileAccess {
  const keys = { mode: 'mode', user: 'uid', group: 'gid' } as const;
  const at = (key: keyof typeof keys) => {
    const found = childOf(field, keys[key]);
    return found && !isEmpty(found) ? found : undefined;
  };
  const text = (key: keyof typeof keys) => {
    const found = at(key);
    return found && reading.text(found);
  };
  return readAccess({ mode: text('mode'), user: text('user'), group: text('group') }, (key) =>
    reporterAt(at(key) ?? field, reading),
  );
}

/** Returns `content`, or the value of the variable in `environment`. Other sources are outside of the document. */
function readContent(kind: Kind, name: string, definition: Field, reading: Reading): string | undefined {
  const content = childOf(definition, 'content');
  if (content) return reading.text(content);
  // An empty text is a content too.
  if (entryOf(definition, 'content')) return '';
  const environment = childOf(definition, 'environment');
  if (environment) {
    const variable = reading.text(environment);
    return variable === undefined ? undefined : (reading.variable(environment, variable) ?? '');
  }
  const file = childOf(definition, 'file');
  const external = childOf(definition, 'external');
  const instead = `write the text itself: ${kind}: { ${name}: { content: … } }`;
  const what = `the ${singular(kind)} "${name}"`;
  if (file) {
    reading.error(
      keyOf(file),
      kind === 'configs' ? 'config-file' : 'secret-file',
      `${what} is in a file that is not part of the document`,
      instead,
    );
  } else if (external && (external.tree.kind === 'map' || isTrue(reading, external))) {
    reading.error(keyOf(external), 'external', `${what} is external, and not part of the document`, instead);
  } else {
    reading.error(keyOf(definition), 'missing-field', `${what} has no "content"`, instead);
  }
  return undefined;
}

function singular(kind: Kind): 'config' | 'secret' {
  return kind === 'configs' ? 'config' : 'secret';
}
