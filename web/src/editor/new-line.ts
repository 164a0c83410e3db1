/** Enter in a configuration: indents the new line. */
import { closeCompletion, completionStatus, currentCompletions } from '@codemirror/autocomplete';
import type { StateCommand } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import { keyAndValue, readLine } from './cursor.ts';

/**
 * Returns the indentation of the line after this one. Undefined inside brackets. @param isText within a text of several
 * lines, or a comment.
 */
export function indentAfter(before: string, isText: boolean): number | undefined {
  const margin = /^\s*/.exec(before)![0].length;
  if (isText || before.trim() === '') return margin;
  const { content, at } = readLine(before);
  if (/[[{][^\]}]*$/.test(content)) return undefined;
  const pair = keyAndValue(content);
  if (!pair) return margin;
  // A key whose value is below it. Otherwise the next key of the same map, which after a dash is indented behind the
  // dash.
  return pair.value === '' || /^[|>][+-]?\d?[+-]?$/.test(pair.value) ? at + 2 : at;
}

/** At the end of a line. Elsewhere, the editor's default applies. */
export function newLine(isTextAt: (lines: readonly string[], line: number, column: number) => boolean): StateCommand {
  return ({ state, dispatch }) => {
    const { empty, head } = state.selection.main;
    const line = state.doc.lineAt(head);
    const column = head - line.from;
    if (!empty || state.readOnly || state.selection.ranges.length > 1 || line.text.slice(column).trim() !== '')
      return false;
    const isText = isTextAt(state.doc.toJSON(), line.number - 1, column);
    const indent = indentAfter(line.text.slice(0, column), isText);
    if (indent === undefined) return false;
    dispatch(
      state.update({
        changes: { from: head, to: line.to, insert: `\n${' '.repeat(indent)}` },
        selection: { anchor: head + 1 + indent },
        scrollIntoView: true,
        userEvent: 'input',
      }),
    );
    return true;
  };
}

/** Enter after a complete value ends the line without a completion. */
export function endWrittenValue(begin: StateCommand): Command {
  return (view) => {
    const { state } = view;
    if (completionStatus(state) !== 'active') return false;
    const { head } = state.selection.main;
    const line = state.doc.lineAt(head);
    const written = /(?:^|[\s"'[,])([^\s"'[,]+)$/.exec(line.text.slice(0, head - line.from))?.[1];
    const isWhole = currentCompletions(state).some(({ type, label }) => type === 'constant' && label === written);
    if (!isWhole) return false;
    closeCompletion(view);
    return begin(view);
  };
}
