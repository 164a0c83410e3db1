/** The editor, as a view of CodeMirror. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldKeymap, indentOnInput } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { call } from '../service/request.ts';
import { assistance } from './assistance.ts';
import { cursorAt } from './cursor.ts';
import { findPanel } from './find-panel.ts';
import { endWrittenValue, newLine } from './new-line.ts';
import type { Schema } from './schema.ts';
import { editorTheme } from './theme.ts';

export type EditorOptions = {
  parent: HTMLElement;
  text: string;
  /** The label for screen readers. */
  label: string;
  onChange: (text: string) => void;
  /** Ctrl or Cmd with Enter. */
  onSubmit: () => void;
  /** A file that was dropped on it: it replaces the text. */
  onFile: (file: File) => void;
  /** The line, from 1, to which the cursor has come. */
  onLine: (line: number) => void;
};

const beginLine = newLine((lines, line, column) => cursorAt(lines, line, column).kind === 'none');

export function createEditor({ parent, text, label, onChange, onSubmit, onFile, onLine }: EditorOptions): EditorView {
  const submit = {
    key: 'Mod-Enter',
    run: () => {
      onSubmit();
      return true;
    },
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        basics(label),
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightActiveLine(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightSelectionMatches(),
        findPanel,
        lintGutter(),
        // Before the key bindings of completions, which also use Enter.
        Prec.highest(keymap.of([submit, { key: 'Enter', run: endWrittenValue(beginLine) }])),
        assistance(loadSchema),
        keymap.of([
          { key: 'Enter', run: beginLine },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        EditorView.domEventHandlers({
          drop(event) {
            const file = event.dataTransfer?.files[0];
            if (!file) return false;
            event.preventDefault();
            onFile(file);
            return true;
          },
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
          const line = lineOf(update.state);
          if (line !== lineOf(update.startState)) onLine(line);
        }),
      ],
    }),
  });
  // Measures the lines now. Otherwise, they are painted at an estimated height, and move in the next frame.
  view.coordsAtPos(0);
  return view;
}

function lineOf({ doc, selection }: EditorState): number {
  return doc.lineAt(selection.main.head).number;
}

/** Extensions of every view of a configuration. */
export function basics(label: string): Extension {
  return [
    yaml(),
    editorTheme,
    highlightSpecialChars(),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      spellcheck: 'false',
      autocapitalize: 'off',
      autocorrect: 'off',
    }),
    EditorView.cspNonce.of(nonce()),
  ];
}

/** The page's policy applies only styles that carry it. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? '';
}

async function loadSchema(): Promise<Schema | undefined> {
  const answer = await call('getConfigSchema');
  return answer.ok ? answer.value : undefined;
}
