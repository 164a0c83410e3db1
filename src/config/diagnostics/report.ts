/** Collects diagnostics. A rule reports a problem at a path, and the report finds the place. */

import type { Source } from '../document/source.ts';
import type { Code } from './diagnostic-codes.ts';
import { type Diagnostic, type Path, printPath, type TextEdit } from './diagnostics.ts';

export type Advice = {
  hint?: string | undefined;
  fix?: TextEdit | undefined;
  /** The key below the path that is unknown or missing. */
  key?: string | undefined;
};

export type Report = {
  error(path: Path, code: Code, message: string, advice?: Advice): void;
  warn(path: Path, code: Code, message: string, advice?: Advice): void;
  /** Information that calls for no change. */
  note(path: Path, code: Code, message: string, advice?: Advice): void;
  /**
   * Returns whether an error was reported at this path, above or below it. Errors that follow from it are not reported.
   */
  isBroken(path: Path): boolean;
  diagnostics: Diagnostic[];
};

export function openReport(source: Pick<Source, 'place'>): Report {
  const diagnostics: Diagnostic[] = [];
  // Paths with an error at or below them, and paths with an error exactly there.
  const above = new Set<string>();
  const broken = new Set<string>();
  // Several branches of a schema may report the same problem of one value.
  const reported = new Set<string>();

  const add = (severity: Diagnostic['severity'], path: Path, code: Code, message: string, advice: Advice = {}) => {
    const { hint, fix, key } = advice;
    const full = key === undefined ? path : [...path, key];
    const id = `${idOf(full)}\u0001${code}\u0001${message}`;
    if (reported.has(id)) return;
    reported.add(id);
    diagnostics.push({
      severity,
      code,
      path: printPath(full),
      ...source.place(path, key),
      message,
      ...(hint !== undefined && { hint }),
      ...(fix && { fix }),
    });
    if (severity !== 'error') return;
    broken.add(idOf(full));
    for (let length = 0; length <= full.length; length++) above.add(idOf(full.slice(0, length)));
  };

  return {
    error: (path, code, message, advice) => add('error', path, code, message, advice),
    warn: (path, code, message, advice) => add('warning', path, code, message, advice),
    note: (path, code, message, advice) => add('note', path, code, message, advice),
    isBroken(path) {
      if (above.has(idOf(path))) return true;
      return path.some((_, length) => broken.has(idOf(path.slice(0, length))));
    },
    diagnostics,
  };
}

function idOf(path: Path): string {
  return path.join('\u0000');
}
