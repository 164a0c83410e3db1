/** Validates a document against its schema. Reports every violation as a diagnostic, all at once. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { type Path, quote } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import { toSlug } from '../diagnostics/suggest.ts';
import { replaceValue, replaceWithYaml } from '../document/edits.ts';
import type { Source } from '../document/source.ts';
import { applicationNamePattern, podNamePattern } from '../schema/field-rules.ts';
import { configurationValidator } from '../schema/validator.ts';
import { readBoolean, readCpu, readPort, readSize } from '../values/units.ts';
import { reportMissing, reportWrongType } from './missing-fields.ts';
import { adviseOn } from './unknown-fields.ts';

/** The most violations that are explained. Documents written by people have fewer. */
const maxViolations = 1000;

/** Reports violations of the shape. `normalise` can read fields without a reported error. */
export function checkShape(source: Source, report: Report): void {
  const validate = configurationValidator();
  if (validate(source.value)) return;
  const errors = (validate.errors ?? []).filter(isOutermost).slice(0, maxViolations);
  for (const error of errors) reportViolation(error, source, report);
}

/**
 * Inside a union, every branch reports an error. The union's own error has the message. A condition adds nothing to its
 * branch.
 */
function isOutermost({ keyword, schemaPath }: ErrorObject): boolean {
  const depth = schemaPath.split('/anyOf').length - 1;
  return keyword === 'anyOf' ? depth === 1 : depth === 0 && keyword !== 'if';
}

function reportViolation(error: ErrorObject, source: Source, report: Report): void {
  const path = toPath(error.instancePath);
  // `checkBuilds` judges a build.
  if (path[1] === 'pods' && path[3] === 'build') return;
  const says: string = error.parentSchema?.['x-says'] ?? error.message ?? 'is not valid';
  if (error.keyword === 'additionalProperties') {
    const field: string = error.params.additionalProperty;
    const advice = adviseOn(source, path, field, Object.keys(error.parentSchema?.properties ?? {}));
    report.warn(path, 'unknown-field', 'is not a field of the configuration and is ignored', advice);
    return;
  }
  if (error.keyword === 'required') {
    reportMissing(error, path, source, report);
    return;
  }
  if (acceptLeniently(error, path, source, report)) return;
  if (error.keyword === 'type') {
    reportWrongType(error, path, source, report);
    return;
  }

  const text = source.textOf(path);
  const isName = path.at(-1) === 'name' && (path.length === 2 || path.at(-3) === 'pods');
  if (isName && text !== undefined) {
    explainName(path, text, says, source, report);
    return;
  }
  const printed = text === undefined ? '' : `${quote(text)} `;
  report.error(path, 'bad-value', `${printed}${says}`, exampleOf(error));
  return;
}

function exampleOf({ parentSchema, keyword }: ErrorObject): { hint?: string } {
  const [example] = parentSchema?.examples ?? [];
  const isHelpful = keyword === 'pattern' && typeof example === 'string';
  return isHelpful ? { hint: `for example ${example}` } : {};
}

/** Converts a JSON pointer to a path, with list positions as numbers. The schema has no fields with numeric names. */
function toPath(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      return /^\d+$/.test(name) ? Number(name) : name;
    });
}

/** Names of applications and pods: the rules of DNS, and a name that keeps them. Pure. */

/** Reports a name that breaks its pattern, with one that does not. */
function explainName(path: Path, name: string, says: string, source: Source, report: Report): void {
  const isPod = path.length > 2;
  const suggestion = suggestName(name, isPod);
  if (suggestion === undefined) {
    report.error(path, 'bad-name', `${quote(name)} ${says}`);
    return;
  }
  // Other pods may use the name, so changing it here alone would break them.
  const isUsed = isPod && source.text.includes(`${name}.pod`);
  const fix = isUsed ? undefined : replaceValue(source, path, suggestion);
  report.error(path, 'bad-name', `${quote(name)} ${says}`, { hint: `for example ${suggestion}`, fix });
}

function suggestName(name: string, isPod: boolean): string | undefined {
  const slug = toSlug(name);
  if (slug === undefined) return undefined;
  const pattern = new RegExp(isPod ? podNamePattern : applicationNamePattern);
  return [slug, `${slug}-app`].find((candidate) => pattern.test(candidate));
}

/** Accepts values in another form whose meaning is certain, with a warning. */

/** Returns whether the value has its intended meaning. Then only its form can be wrong. */
function acceptLeniently(error: ErrorObject, path: Path, source: Source, report: Report): boolean {
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
