/** Reports missing fields and values of a wrong type, with a hint. Pure. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { type Path, quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { toSlug } from '../diagnostics/suggest.ts';
import { replaceWithYaml } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { childOf, entryOf, nearest } from '../document/tree.ts';
import { readBuildSource } from '../values/build-source.ts';

const isPod = (path: Path) => path.at(-2) === 'pods' && path.length === 3;

export function reportMissing({ params, parentSchema }: ErrorObject, path: Path, source: Source, report: Report): void {
  const name: string = params.missingProperty;
  const { field } = nearest(source.root, path);
  const has = (key: string) => entryOf(field, key) !== undefined;
  // The schema does not know that a context can be the address of a repository.
  if (name === 'image' && isPod(path) && !has(name) && readBuildSource(childOf(field, 'build'))) return;
  // `image: # filled by pipeline` is a comment in YAML, so the value is missing.
  if (name === 'image' && has('image') && isPod(path)) {
    report.error([...path, name], 'image-placeholder', 'the image is empty: a placeholder', {
      hint: 'put the image that was built',
    });
    return;
  }
  const code = has(name) ? 'bad-value' : 'missing-field';
  const hint = hintFor(name, path, has) ?? exampleOf(parentSchema?.properties?.[name]?.examples);
  report.error(path, code, has(name) ? 'is empty' : 'is missing', { key: name, hint });
}

/** For a pod with the fields of a build. */
export const buildHint =
  'this document does not contain its source: send the project folder as an archive: tar cz . | curl --data-binary @- <server>/startUserDeployment; or name its Git repository, in build: { source: { git: https://… } } or by curl --data-binary @berth.yaml -H "Content-Type: text/x-yaml" "<server>/startUserDeployment?git=https://…"';

function hintFor(name: string, path: Path, has: (key: string) => boolean): string | undefined {
  if (name !== 'image' || !isPod(path)) return undefined;
  if (['build', 'dockerfile', 'context'].some(has)) {
    return buildHint;
  }
  return has('tag') ? '"tag" of older documents is "image" now' : undefined;
}

function exampleOf(examples: unknown[] | undefined): string | undefined {
  const [example] = examples ?? [];
  return example === undefined
    ? undefined
    : `for example ${typeof example === 'string' ? example : JSON.stringify(example)}`;
}

/** `data:/var/lib/data`, as Compose has it. */
const shortVolume = /^([\w./~-]{1,200}):(\/[\w./-]{1,200})(?::[a-z,]+)?$/;

const kinds: Record<string, string> = {
  object: 'must be a map of fields',
  array: 'must be a list',
  string: 'must be a text',
  integer: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
};

export function reportWrongType(
  { params, parentSchema }: ErrorObject,
  path: Path,
  source: Source,
  report: Report,
): void {
  const { tree } = nearest(source.root, path).field;
  const says = parentSchema?.['x-says'] ?? kinds[params.type] ?? 'is of the wrong type';
  const printed = tree.kind === 'scalar' && tree.value !== null ? `${quote(tree.text)} ` : '';
  const message = `${printed}${says}`;

  const short = tree.kind === 'scalar' && path.at(-2) === 'volumes' ? shortVolume.exec(tree.text) : undefined;
  if (short) {
    const [, name, mountPath] = short;
    const written = /^[./~]/.test(name!) ? undefined : `{ name: ${name}, mountPath: ${mountPath} }`;
    const hint = written ? `write ${written}` : 'directories of the machine cannot be mounted';
    const fix = written === undefined ? undefined : replaceWithYaml(source, path, written);
    report.error(path, 'wrong-type', message, { hint, fix });
    return;
  }
  if (tree.kind === 'scalar' && path.at(-2) === 'volumes' && /^\/[\w./-]+$/.test(tree.text)) {
    const hint = `write { name: ${toSlug(tree.text, 55) ?? 'data'}, mountPath: ${tree.text} }`;
    report.error(path, 'wrong-type', message, { hint });
    return;
  }
  if (params.type === 'object' && tree.kind === 'scalar') {
    const joined = /^([A-Za-z_]\w*):(?=\S)/.exec(tree.text);
    if (joined && source.text.startsWith(joined[0], tree.at)) {
      const at = tree.at + joined[0].length;
      const fix = { from: at, to: at, text: ' ' };
      const hint = `a space is missing after the colon of "${joined[1]}:"`;
      report.error(path, 'wrong-type', message, { hint, fix });
      return;
    }
  }
  if (params.type === 'array' && tree.kind === 'map') {
    const hint =
      path.at(-1) === 'pods' ? 'begin each pod with "- name:"' : 'begin each entry with a hyphen and a space: "- "';
    report.error(path, 'wrong-type', message, { hint });
    return;
  }
  if (params.type === 'string' && tree.kind !== 'scalar') {
    // `{{ NAME }}` and `[NAME]` without quotes are a map and a list to YAML.
    const isTemplate = source.text.slice(tree.at, tree.at + 2) === '{{';
    const isImage = path.at(-1) === 'image' && isPod(path.slice(0, -1));
    if (isImage && (isTemplate || tree.kind === 'list')) {
      report.error(path, 'image-placeholder', 'the image is a placeholder', {
        hint: 'put the image that was built',
      });
      return;
    }
    const isContent = path.at(-1) === 'data' || path.at(-1) === 'content';
    const hint = isContent
      ? 'write "|" behind the colon and the text on the lines below, indented'
      : 'put it in quotes';
    report.error(path, 'wrong-type', message, { hint });
    return;
  }
  if (params.type === 'integer' && tree.kind === 'map') {
    report.error(path, 'wrong-type', message, { hint: 'write the port alone: 3000' });
    return;
  }
  report.error(path, 'wrong-type', message);
}
