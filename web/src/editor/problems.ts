/** Marks the results of the checks in the editor. */
import { type Action, type Diagnostic as Marked, setDiagnostics } from '@codemirror/lint';
import type { EditorState, Text, TransactionSpec } from '@codemirror/state';
import type { Diagnostic } from '../../../src/config/diagnostics/diagnostics.ts';

export function showProblems(state: EditorState, diagnostics: readonly Diagnostic[]): TransactionSpec {
  return setDiagnostics(
    state,
    diagnostics.map((diagnostic) => mark(state.doc, diagnostic)),
  );
}

function mark(doc: Text, diagnostic: Diagnostic): Marked {
  const { severity, message, hint, fix } = diagnostic;
  const { from, to } = spanOf(doc, diagnostic);
  const text = `${message}${hint === undefined ? '' : `: ${hint}`}`;
  const shown = severity === 'note' ? 'info' : severity;
  return { from, to, severity: shown, message: text, ...(fix && { actions: [action(fix, doc)] }) };
}

/** Returns the span of the word or value at a place. Lines and columns start at 1. */
export function spanOf(doc: Text, { line, column }: Pick<Diagnostic, 'line' | 'column'>): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(from + Math.max(column - 1, 0), to);
  const word =
    /^(?:"[^"]*"|'[^']*'|[^\s:,#[\]{}]+(?:[ :](?=[^\s:,#[\]{}])[^\s:,#[\]{}]+)*)/.exec(text.slice(start - from))?.[0] ??
    '';
  return { from: start, to: Math.min(to, start + Math.max(word.length, 1)) };
}

/** The fix is for one text. In another text, which is still being checked, its place may differ. */
function action(fix: NonNullable<Diagnostic['fix']>, checked: Text): Action {
  return {
    name: 'Fix',
    apply(view) {
      if (!view.state.doc.eq(checked)) return;
      view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.text }, userEvent: 'input.fix' });
    },
  };
}
