/** The frame of an editor: shows the text at once, and replaces it with the editor once that is loaded. */
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef } from 'react';
import { fixText } from '../checker/checker.ts';
import type { CheckedText } from '../checker/use-checked.ts';
import { afterPaint } from '../parts/after-paint.ts';
import type { EditorHandle } from './editor.tsx';
import { ProblemList } from './problem-list.tsx';
import './editor.css';

/**
 * Resolves when the text was painted. Evaluating the editor before would delay the paint by 400 ms on a slow processor.
 */
const seen = Promise.withResolvers<void>();

const Editor = lazy(() => seen.promise.then(() => import('./editor.tsx')));

type EditorFrameProps = {
  text: string;
  onChange: (text: string) => void;
  onSubmit: () => void;
  onFile: (text: string, name: string) => void;
  onLine?: (line: number) => void;
  checked: CheckedText | undefined;
  label: string;
  openAt?: number | undefined;
  handle?: RefObject<EditorHandle | null>;
  /** Next to the results of the checks. */
  action?: ReactNode;
  /** The service's answer. */
  notice?: ReactNode;
};

export function EditorFrame(props: EditorFrameProps) {
  const { text, onChange, onSubmit, onFile, onLine, checked, label, openAt, handle, action, notice } = props;
  const own = useRef<EditorHandle>(null);
  const editor = handle ?? own;
  const isCurrent = checked?.text === text;
  return (
    <div className="panel editor-frame">
      <div className="editor-box">
        <Suspense fallback={<StandIn text={text} />}>
          <Editor
            text={text}
            onChange={onChange}
            onSubmit={onSubmit}
            onFile={onFile}
            onLine={onLine}
            checked={checked}
            label={label}
            openAt={openAt}
            handle={editor}
          />
        </Suspense>
      </div>
      <ProblemList
        diagnostics={checked?.diagnostics}
        areImagesChecked={checked?.images === 'checked'}
        action={action}
        notice={notice}
        onJump={(place) => editor.current?.jumpTo(place)}
        onFix={isCurrent ? ({ from, to, text: by }) => onChange(text.slice(0, from) + by + text.slice(to)) : undefined}
        onFixAll={() => void fixText(text).then(onChange)}
      />
    </div>
  );
}

function StandIn({ text }: { text: string }) {
  useEffect(() => void afterPaint().then(seen.resolve), []);
  return <pre className="editor-stand-in">{text}</pre>;
}
