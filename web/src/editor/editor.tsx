/** The editor on a page. Loaded when it is needed. */
import { openSearchPanel } from '@codemirror/search';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import type { Diagnostic } from '../../../src/config/diagnostics/diagnostics.ts';
import { readDocument } from './document-file.ts';
import { showProblems, spanOf } from './problems.ts';
import { createEditor } from './view.ts';

export type EditorHandle = {
  /** Puts the cursor there, and the focus. */
  jumpTo: (place: Pick<Diagnostic, 'line' | 'column'>) => void;
  /** Opens the panel that finds and replaces. */
  find: () => void;
};

export type EditorProps = {
  text: string;
  onChange: (text: string) => void;
  onSubmit: () => void;
  /** The text of a file that was dropped on it, and the file's name. */
  onFile: (text: string, name: string) => void;
  /** The line, from 1, to which the cursor has come. */
  onLine?: ((line: number) => void) | undefined;
  /** The result of the last check, and its text. */
  checked: { text: string; diagnostics: readonly Diagnostic[] } | undefined;
  label: string;
  /** The line, from 1, at which it opens. */
  openAt?: number | undefined;
  handle?: RefObject<EditorHandle | null>;
};

export default function Editor(props: EditorProps) {
  const { text, onChange, onSubmit, onFile, onLine, checked, label, openAt, handle } = props;
  const frame = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef({ text, onChange, onSubmit, onFile, onLine });
  latest.current = { text, onChange, onSubmit, onFile, onLine };

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; the text and the handlers of later follow below
  useLayoutEffect(() => {
    const view = createEditor({
      parent: frame.current!,
      text,
      label,
      // Text that this component inserts is not a change by the user.
      onChange: (changed) => changed !== latest.current.text && latest.current.onChange(changed),
      onSubmit: () => latest.current.onSubmit(),
      onLine: (line) => latest.current.onLine?.(line),
      onFile: (file) => void readDocument(file).then((read) => latest.current.onFile(read, file.name)),
    });
    editor.current = view;
    return () => view.destroy();
  }, []);

  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === text) return;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      scrollIntoView: true,
    });
  }, [text]);

  useEffect(() => {
    const view = editor.current;
    const isCurrent = checked !== undefined && view?.state.doc.toString() === checked.text;
    if (view && isCurrent) view.dispatch(showProblems(view.state, checked.diagnostics));
  }, [checked]);

  useEffect(() => {
    const view = editor.current;
    if (!view || openAt === undefined) return;
    const { from, to } = view.state.doc.line(Math.min(openAt, view.state.doc.lines));
    view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    view.focus();
  }, [openAt]);

  useImperativeHandle(handle, () => ({
    jumpTo(place) {
      const view = editor.current;
      if (!view) return;
      const { from, to } = spanOf(view.state.doc, place);
      const effects = EditorView.scrollIntoView(from, { y: 'nearest', yMargin: 80 });
      view.dispatch({ selection: { anchor: from, head: to }, effects });
      view.focus();
    },
    find() {
      if (editor.current) openSearchPanel(editor.current);
    },
  }));

  return <div className="editor-view" ref={frame} />;
}
