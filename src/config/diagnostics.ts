/** Diagnostics: what is wrong with a document, and where. Values, never exceptions. */

export type Diagnostic = {
  severity: 'error' | 'warning';
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

/** A path as segments: `['application', 'pods', 0, 'image']`. */
export type Path = readonly (string | number)[];

/** `application.pods[0].image` */
export function printPath(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}

/** The string form of the interface's `errors`: `line:column path: message (hint)`. */
export function printDiagnostic({ line, column, path, message, hint }: Diagnostic): string {
  return `${line}:${column} ${path ? `${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}`;
}

/** Document order; of two at the same place, errors come first. */
export function inDocumentOrder(diagnostics: Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column || a.severity.localeCompare(b.severity));
}
