/** Numbers and truth values of the native form, in the spellings that are read as they are meant. Pure. */
import { type Field, textOf } from '../document/tree.ts';
import { readBoolean } from '../values/units.ts';

/** Also `10s` and `2.0`. */
export function integerOf(field: Field | undefined): number | undefined {
  const text = textOf(field)
    ?.trim()
    .replace(/(?<=\d)s$/, '');
  return text !== undefined && /^\d{1,9}(?:\.0)?$/.test(text) ? Number(text) : undefined;
}

export function booleanOf(field: Field | undefined): boolean | undefined {
  const text = textOf(field);
  return text === undefined ? undefined : readBoolean(text);
}
