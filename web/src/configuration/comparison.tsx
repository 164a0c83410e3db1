/** Compares two texts line by line, with unchanged parts folded. */
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { basics } from '../editor/view.ts';
import './comparison.css';

export function Comparison({ original, text }: { original: string; text: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      parent: frame.current!,
      doc: text,
      extensions: [
        basics('Changes of the configuration'),
        lineNumbers(),
        EditorState.readOnly.of(true),
        EditorView.lineWrapping,
        unifiedMergeView({
          original,
          mergeControls: false,
          highlightChanges: true,
          gutter: false,
          collapseUnchanged: { margin: 2, minSize: 4 },
        }),
      ],
    });
    return () => view.destroy();
  }, [original, text]);
  return <div className="comparison-view" ref={frame} />;
}
