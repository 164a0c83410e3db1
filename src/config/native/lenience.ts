/** Values that are not in the form of the schema, and whose meaning is certain all the same: accepted, with a warning. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Path } from '../diagnostics/diagnostics.ts';
import { quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { toSlug } from '../diagnostics/suggest.ts';
import { replaceValue, replaceWithYaml } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { readBoolean, readCpu, readPort, readSize } from '../values/units.ts';

/** Whether the value is read as it is meant; then there is nothing to complain about but, maybe, its form. */
export function isMeantWell(error: ErrorObject, path: Path, source: Source, report: Report): boolean {
  const field = path.findLast((segment) => typeof segment === 'string');
  const text = source.textOf(path);
  const warn = (usual: string, yaml?: string) => {
    const fix = yaml === undefined ? replaceValue(source, path, usual) : replaceWithYaml(source, path, yaml);
    report.warn(path, 'lenient-value', `${quote(text ?? '')} is read as ${usual}`, {
      hint: `write ${yaml ?? usual}`,
      fix,
    });
    return true;
  };

  // A list of one, without its hyphen or brackets.
  if (error.keyword === 'type' && error.params.type === 'array' && text !== undefined) {
    if (field === 'servicePorts') {
      const port = readPort(text);
      return port !== undefined && warn(`[${port}]`, `[${port}]`);
    }
    const isName = ['dependsOn', 'restartsWith', 'aliases'].includes(String(field)) && /^[\w.-]+$/.test(text);
    return isName && warn(`[${text}]`, `[${text}]`);
  }
  if (text === undefined) return false;

  switch (error.keyword) {
    case 'type':
      if (error.params.type === 'string') return isTextOf(error, text);
      if (error.params.type === 'integer' || error.params.type === 'number') return isNumber(error, path, text, warn);
      if (error.params.type === 'boolean') {
        const meant = readBoolean(text);
        return meant !== undefined && warn(String(meant), String(meant));
      }
      return false;
    case 'enum': {
      const meant = error.params.allowedValues?.find((value: unknown) => value === text.toLowerCase());
      return meant !== undefined && warn(meant);
    }
    case 'anyOf': {
      if (field === 'cpu') {
        const meant = readCpu(text);
        return meant !== undefined && meant !== text && warn(meant);
      }
      const isSize = field === 'memory' || field === 'size';
      const meant = isSize ? readSize(text) : undefined;
      return meant !== undefined && meant !== text && warn(meant);
    }
    case 'pattern': {
      if (field === 'path' && path.at(-3) === 'pods' && /^[A-Za-z0-9]/.test(text) && !text.includes(':')) {
        return new RegExp(error.params.pattern).test(`/${text}`) && warn(`/${text}`);
      }
      const slug = field === 'name' && path.at(-3) === 'volumes' ? toSlug(text) : undefined;
      return slug !== undefined && warn(slug);
    }
    default:
      return false;
  }
}

/** A number or a boolean where a text is wanted: its text. */
function isTextOf({ parentSchema }: ErrorObject, text: string): boolean {
  const pattern = parentSchema?.pattern;
  return pattern === undefined || new RegExp(pattern).test(text);
}

function isNumber(
  { parentSchema }: ErrorObject,
  path: Path,
  text: string,
  warn: (usual: string, yaml: string) => boolean,
): boolean {
  const isPort = path.at(-2) === 'servicePorts' || path.at(-1) === 'port';
  const seconds = String(path.at(-1)).endsWith('Seconds') ? /^(\d{1,6})s$/.exec(text)?.[1] : undefined;
  const digits = seconds ?? (/^\d{1,6}(?:\.0)?$/.test(text.trim()) ? text.trim() : undefined);
  const meant = isPort ? readPort(text) : digits === undefined ? undefined : Number(digits);
  if (meant === undefined) return false;
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = parentSchema ?? {};
  return meant >= minimum && meant <= maximum && warn(String(meant), String(meant));
}
