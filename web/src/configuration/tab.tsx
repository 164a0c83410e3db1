/** The configuration of a deployment: shown with all that it holds, edited, compared, and sent as an update. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { firstErrorIn, useChecked } from '../checker/use-checked.ts';
import type { EditorHandle } from '../editor/editor.tsx';
import { EditorFrame } from '../editor/frame.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { configurationOf, type Target } from '../service/calls.ts';
import type { Configuration } from '../service/records.ts';

const Review = lazy(() => import('./review.tsx'));

export default function ConfigurationTab({ target, revision }: { target: Target; revision: number | undefined }) {
  const { value, problem } = useAnswer(String(revision), () => configurationOf(target));
  if (!value)
    return problem ? <ProblemNotice problem={problem} /> : <Loading what="the configuration" height="32rem" />;
  return <ConfigurationEditor configuration={value} target={target} />;
}

function ConfigurationEditor({ configuration, target }: { configuration: Configuration; target: Target }) {
  const { revision, servingRevision } = configuration;
  const original = configuration.yaml.replaceAll(/\r\n?/g, '\n');
  const [text, setText] = useState(original);
  const [isReviewed, setIsReviewed] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const checked = useChecked(text);
  const isChanged = text !== original;

  // An update from here or from elsewhere: what is edited begins with what was sent last.
  useEffect(() => {
    setText(original);
    setIsReviewed(false);
  }, [original]);

  const review = () => {
    const firstError = firstErrorIn(text, checked);
    if (firstError) editor.current?.jumpTo(firstError);
    else if (isChanged) setIsReviewed(true);
  };

  return (
    <div className="stack configuration">
      <div className="row">
        <p className="small soft">
          Revision {revision}
          {servingRevision !== undefined &&
            servingRevision !== revision &&
            `; revision ${servingRevision} still serves`}
          . Only you see it: it holds the secrets of the application.
        </p>
        {!isReviewed && (
          <span className="row push">
            {isChanged && (
              <button type="button" className="button quiet" onClick={() => setText(original)}>
                Undo all
              </button>
            )}
            <button type="button" className="button primary" onClick={review} disabled={!isChanged}>
              Review the update
            </button>
          </span>
        )}
      </div>
      {isReviewed ? (
        <Suspense fallback={<Loading what="the comparison" height="24rem" />}>
          <Review {...{ target, original, text }} onBack={() => setIsReviewed(false)} />
        </Suspense>
      ) : (
        <EditorFrame
          {...{ text, checked }}
          label="Configuration"
          onChange={setText}
          onSubmit={review}
          handle={editor}
        />
      )}
    </div>
  );
}
