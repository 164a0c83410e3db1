/**
 * Interpolates variables like Compose: `$NAME`, `${NAME}` and the operators `:-`, `-`, `:?`, `?`, `:+` and `+`, whose
 * right-hand side may contain variables. `$$` is a dollar sign. Any other dollar sign is literal.
 */

export type Lookup = (name: string) => string | undefined;

export type Variables = {
  /** The value that is written down; the operators ask for it. */
  find: Lookup;
  /** The value for a variable without an operator, which may be a placeholder for a missing one. */
  stand(name: string, isBare: boolean): string | undefined;
  /** The placeholder for a required variable without a value. Empty unless a user is prompted for it. */
  missing?: (name: string) => string;
};

export type InterpolationProblem =
  /** No value and no default: it has become empty. `isBare`: written as `$NAME`, without braces. */
  | { kind: 'unset'; name: string; isBare?: true }
  /** `${NAME:?why}` without a value. */
  | { kind: 'required'; name: string; why: string }
  | { kind: 'malformed'; text: string };

/** Documents written by hand do not nest defaults deeper. Each level is scanned once more for its closing brace. */
const maxDepth = 20;

/** Longest result: a few short variables can stand for gigabytes otherwise. */
const maxLength = 256 * 1024;

const start = /\$(?:\$|[A-Za-z_][A-Za-z0-9_]*|\{)/g;
const braced = /^([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?+])([\s\S]*))?$/;

export function interpolate(
  text: string,
  { find, stand, missing = () => '' }: Variables,
): { text: string; problems: InterpolationProblem[] } {
  const problems: InterpolationProblem[] = [];
  let length = 0;

  const replaceAll = (template: string, depth: number): string => {
    const parts: string[] = [];
    let from = 0;
    const append = (part: string) => {
      length += part.length;
      if (length <= maxLength) parts.push(part);
    };
    for (;;) {
      start.lastIndex = from;
      const found = start.exec(template);
      if (!found) break;
      append(template.slice(from, found.index));
      from = start.lastIndex;
      if (found[0] === '$$') {
        append('$');
      } else if (found[0] !== '${') {
        append(valueFor(found[0].slice(1), true));
      } else {
        const end = closingBrace(template, from);
        const expression = end === -1 ? undefined : braced.exec(template.slice(from, end));
        if (!expression || depth >= maxDepth) {
          problems.push({
            kind: 'malformed',
            text: excerpt(template.slice(found.index, end === -1 ? undefined : end + 1)),
          });
          return parts.join('');
        }
        append(evaluate(expression[1]!, expression[2], expression[3] ?? '', depth));
        from = end + 1;
      }
      if (length > maxLength) break;
    }
    if (length > maxLength) {
      if (!problems.some(({ kind }) => kind === 'malformed')) {
        problems.push({ kind: 'malformed', text: `${excerpt(text)} becomes longer than ${maxLength / 1024} KiB` });
      }
      return '';
    }
    append(template.slice(from));
    return parts.join('');
  };

  const valueFor = (name: string, isBare: boolean): string => {
    const value = stand(name, isBare);
    if (value === undefined) problems.push({ kind: 'unset', name, ...(isBare && { isBare }) });
    return value ?? '';
  };

  const evaluate = (name: string, operator: string | undefined, word: string, depth: number): string => {
    if (operator === undefined) return valueFor(name, false);
    const value = find(name);
    // With a colon, an empty value counts as unset.
    const isSet = operator.startsWith(':') ? value !== undefined && value !== '' : value !== undefined;
    if (operator.endsWith('+')) return isSet ? replaceAll(word, depth + 1) : '';
    if (isSet) return value!;
    const instead = replaceAll(word, depth + 1);
    if (operator.endsWith('-')) return instead;
    problems.push({ kind: 'required', name, why: instead });
    return missing(name);
  };

  return { text: replaceAll(text, 0), problems };
}

/** Returns the position of the closing brace for the brace at `from`. Nested braces are matched. */
function closingBrace(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') open++;
    if (text[at] === '}' && --open === 0) return at;
  }
  return -1;
}

function excerpt(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
