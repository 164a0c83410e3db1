/** Edits of a document's text that fix a problem and preserve everything else, including comments. Pure. */
import type { Path, TextEdit } from '../diagnostics/diagnostics.ts';
import type { Source } from './source.ts';
import { removeLines, writeScalar } from './text-edits.ts';
import { type Field, nearest, type Span } from './tree.ts';

/** Replaces the value at a path. Undefined if it is missing. */
export function replaceValue(source: Source, path: Path, text: string): TextEdit | undefined {
  const field = fieldAt(source, path);
  if (!field) return undefined;
  const { at, to } = field.tree;
  // The range of a block scalar ends after its last line break, which the next line needs.
  const lineBreak = /\r?\n$/.exec(source.text.slice(Math.max(at, to - 2), to))?.[0].length ?? 0;
  return spanEdit({ at, to: to - lineBreak }, writeScalar(text));
}

/** As `replaceValue`, with YAML instead of text: `[3000]`. */
export function replaceWithYaml(source: Source, path: Path, yaml: string): TextEdit | undefined {
  const field = fieldAt(source, path);
  if (!field || isMultiline(source, field.tree)) return undefined;
  return spanEdit(field.tree, yaml);
}

/** Every occurrence of a part of the value; undefined when the value is written with escapes and has no such part. */
export function replaceWithin(source: Source, path: Path, part: string, by: string): TextEdit | undefined {
  const field = fieldAt(source, path);
  if (field?.tree.kind !== 'scalar' || part === '') return undefined;
  const written = source.text.slice(field.tree.at, field.tree.to);
  if (!written.includes(part)) return undefined;
  const text = written.replaceAll(part, () => by);
  // A value without quotes may need some with its new text.
  const isPlain = !/^["'|>]/.test(written);
  if (isPlain && written.includes('\n')) return undefined;
  return spanEdit(field.tree, isPlain ? writeScalar(text) : text);
}

/** Renames the key at the end of a path. Returns undefined if its map already has a key of the new name. */
export function renameKey(source: Source, path: Path, name: string): TextEdit | undefined {
  const field = fieldAt(source, path);
  const parent = nearest(source.root, path.slice(0, -1)).field;
  if (!field?.key || parent.tree.kind !== 'map' || parent.tree.entries.has(name)) return undefined;
  return spanEdit(field.key, name);
}

/** The key at the end of a path with its value, when both have whole lines for themselves. */
export function removeField(source: Source, path: Path): TextEdit | undefined {
  const field = fieldAt(source, path);
  const parent = nearest(source.root, path.slice(0, -1)).field;
  if (!field?.key || parent.tree.kind !== 'map' || parent.tree.entries.size < 2) return undefined;
  return removeLines(source.text, { at: field.key.at, to: Math.max(field.tree.to, field.key.to) });
}

/**
 * Adds a field in one-line YAML after the field `after` of the map at a path. Undefined if that field is missing or
 * does not end its line.
 */
export function addField(source: Source, path: Path, after: string, yaml: string): TextEdit | undefined {
  const map = fieldAt(source, path);
  const field = fieldAt(source, [...path, after]);
  if (map?.tree.kind !== 'map' || !field?.key || isMultiline(source, field.tree)) return undefined;
  const key = /^[\w-]+/.exec(yaml)?.[0] ?? '';
  if (map.tree.entries.has(key)) return undefined;
  const { text } = source;
  if (text[map.tree.at] === '{') return { from: field.tree.to, to: field.tree.to, text: `, ${yaml}` };
  const lineStart = text.lastIndexOf('\n', field.key.at - 1) + 1;
  const lineEnd = /\r?\n|$/.exec(text.slice(field.tree.to))!.index + field.tree.to;
  if (!/^[ \t]*(?:#.*)?$/.test(text.slice(field.tree.to, lineEnd))) return undefined;
  const indent = text.slice(lineStart, field.key.at).replace(/\S/g, ' ');
  return { from: lineEnd, to: lineEnd, text: `\n${indent}${yaml}` };
}

function spanEdit({ at, to }: Span, text: string): TextEdit {
  return { from: at, to, text };
}

function isMultiline({ text }: Source, { at, to }: Span): boolean {
  return text.slice(at, to).includes('\n');
}

function fieldAt(source: Source, path: Path): Field | undefined {
  const { field, depth } = nearest(source.root, path);
  return depth === path.length ? field : undefined;
}
