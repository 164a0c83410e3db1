/** Diagnostics: the problems of a document with their places. Values, never exceptions. */

export const severities = ['error', 'warning', 'note'] as const;

export type Diagnostic = {
  /** A note is information that requires no action. */
  severity: (typeof severities)[number];
  /** Stable and machine-readable, e.g. `duplicate-path`. */
  code: string;
  /** The path in the document, such as `application.pods[0].image`. Empty for the document as a whole. */
  path: string;
  /** Both from 1. */
  line: number;
  column: number;
  /** One sentence without a full stop. */
  message: string;
  hint?: string;
  /** An edit that is certain to remove the problem. */
  fix?: TextEdit;
};

/** Replaces the text from `from` up to `to` (offsets in UTF-16 units into the document). */
export type TextEdit = { from: number; to: number; text: string };

/** Why a text cannot be parsed, and the offset of the problem. */
export type Explanation = { offset: number; message: string; hint?: string; fix?: TextEdit };

/** A path as segments: `['application', 'pods', 0, 'image']`. */
export type Path = readonly (string | number)[];

/** Prints `application.pods[0].image`. Keys that are not words are quoted: `vars["my.key"]`. */
export function printPath(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    if (!/^[\w-]{1,100}$/.test(segment)) return `${text}[${JSON.stringify(excerpt(segment))}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}

/** The string form of the interface's `errors`: `line:column path: message (hint)`. */
export function printDiagnostic({ line, column, path, message, hint }: Diagnostic): string {
  return `${line}:${column} ${path ? `${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}`;
}

export function printWarnings(diagnostics: Diagnostic[]): string[] {
  return diagnostics.filter(({ severity }) => severity === 'warning').map(printDiagnostic);
}

/** Sorts in document order. At the same place, errors come first and notes last. */
export function inDocumentOrder(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column || bySeverity(a, b));
}

/** The maximum number of diagnostics for one document, because users do not read more and each takes memory. */
export const maxDiagnostics = 100;

/**
 * Returns the first diagnostics in document order. If there are too many, errors come before warnings and notes, and
 * the last one states the number of omitted ones.
 */
export function limitDiagnostics(diagnostics: Diagnostic[]): Diagnostic[] {
  if (diagnostics.length <= maxDiagnostics) return inDocumentOrder(diagnostics);
  const kept = inDocumentOrder(diagnostics).toSorted(bySeverity).slice(0, maxDiagnostics);
  const severity = kept.every((diagnostic) => diagnostic.severity === 'error') ? 'error' : 'warning';
  const last = inDocumentOrder(kept).at(-1)!;
  const missing = diagnostics.length - kept.length;
  const message = `${missing} more problems are not shown`;
  const hint = 'correct these first';
  const omission = { severity, code: 'too-many-problems', path: '', line: last.line, column: last.column } as const;
  return [...inDocumentOrder(kept), { ...omission, message, hint }];
}

const ranks = { error: 0, warning: 1, note: 2 } as const satisfies Record<Diagnostic['severity'], number>;

function bySeverity(a: Diagnostic, b: Diagnostic): number {
  return ranks[a.severity] - ranks[b.severity];
}

/** Returns a short text unchanged, and the beginning of a longer one, which could be a misplaced secret. */
export function excerpt(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 24)}…`;
}

/** Quotes a text on one line, without control characters or characters that change the displayed order. */
export function quote(text: string): string {
  const written = excerpt(text).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${written}"`;
}

/** The maximum number of listed names. The rest is counted. */
const maxListed = 5;

/** Prints `a, b and c`. Of many names, prints the first ones and the number of the others. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxListed);
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown;
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Prints at most ten names for a sentence, separated by commas. */
export function listOf(names: readonly string[]): string {
  return names.length <= 10 ? names.join(', ') : `${names.slice(0, 10).join(', ')}, …`;
}
