/** Diagnostics: what is wrong with a document, and where. Values, never exceptions. */

export const severities = ['error', 'warning', 'note'] as const;

export type Diagnostic = {
  /** A note is information that requires no action. */
  severity: (typeof severities)[number];
  /** Stable and machine-readable, e.g. `duplicate-path`. */
  code: string;
  /** Where in the document, e.g. `application.pods[0].image`; empty for the document as a whole. */
  path: string;
  /** Both from 1. */
  line: number;
  column: number;
  /** In plain words, one sentence without a full stop. */
  message: string;
  hint?: string;
  /** An edit that is certain to remove the problem. */
  fix?: TextEdit;
};

/** Replaces what stands from `from` up to `to` (offsets in UTF-16 units into the document) by `text`. */
export type TextEdit = { from: number; to: number; text: string };

/** Why a whole text cannot be read, and at which offset that begins. */
export type Explanation = { offset: number; message: string; hint?: string; fix?: TextEdit };

/** A path as segments: `['application', 'pods', 0, 'image']`. */
export type Path = readonly (string | number)[];

/** `application.pods[0].image`; other keys than words are quoted: `vars["my.key"]`. */
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

/** Document order; of two at the same place, errors come first and notes last. */
export function inDocumentOrder(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column || bySeverity(a, b));
}

/** The most diagnostics that are reported for one document, because users do not read more and each takes memory. */
export const maxDiagnostics = 100;

/** The first ones in document order, errors before warnings before notes when not all fit, and a last one that says how many miss. */
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

/** A short text is repeated to its writer; of a longer one, which could be a secret in the wrong place, the beginning. */
export function excerpt(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 24)}…`;
}

/** In quotes, on one line, and without anything that a terminal would obey, or that shows it otherwise than it is. */
export function quote(text: string): string {
  const written = excerpt(text).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${written}"`;
}

/** So many are named before the rest is counted. */
const maxListed = 5;

/** `a, b and c`; of many the first ones, and how many more there are. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxListed);
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown;
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** At most ten names for a sentence, separated by commas. */
export function listOf(names: readonly string[]): string {
  return names.length <= 10 ? names.join(', ') : `${names.slice(0, 10).join(', ')}, …`;
}
