/** The configuration of a deployment: shown, edited, compared, and sent as an update. */
import { lazy, Suspense, useRef, useState } from 'react';
import { firstErrorIn, useChecked } from '../checker/use-checked.ts';
import type { EditorHandle } from '../editor/editor.tsx';
import { EditorFrame } from '../editor/frame.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { WrittenPicture } from '../picture/written-picture.tsx';
import { configurationOf, type Target, updateDeployment } from '../service/calls.ts';
import type { Configuration } from '../service/records.ts';
import { NewerRevision } from './newer-revision.tsx';
import { useDraft } from './use-draft.ts';
import { useOpenAt } from './use-open-at.ts';

const Variables = lazy(() => import('../variables/variables.tsx'));
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
  const draft = useDraft(target, original, revision);
  const { text, isChanged, behind, write } = draft;
  // The reviewed revision. A review of another revision is out of date.
  const [reviewed, setReviewed] = useState<number>();
  const editor = useRef<EditorHandle>(null);
  const checked = useChecked(text);
  const isReviewed = reviewed === revision && isChanged;
  const requested = useOpenAt(text);
  const [line, setLine] = useState<number>();
  const [isTable, setIsTable] = useState(false);
  const [wrongAt, setWrongAt] = useState<number>();
  const replace = (by: string, reported: string) => {
    write(by);
    showToast(reported, { title: 'Undo', act: () => write(text) });
  };

  const review = () => {
    const firstError = firstErrorIn(text, checked);
    if (firstError && isTable) {
      setIsTable(false);
      setWrongAt(firstError.line);
    } else if (firstError) editor.current?.jumpTo(firstError);
    else if (isChanged) setReviewed(revision);
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
            <button type="button" className="button" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
              {isTable ? 'Edit as text' : 'Variables'}
            </button>
            {isChanged && (
              <button
                type="button"
                className="button quiet"
                onClick={() => replace(original, 'Your changes were undone.')}
              >
                Undo all
              </button>
            )}
            <button type="button" className="button primary" onClick={review} disabled={!isChanged}>
              Review the update
            </button>
          </span>
        )}
      </div>
      {behind !== undefined && !isReviewed && (
        <NewerRevision
          revision={revision}
          behind={behind}
          original={original}
          text={text}
          onKeep={draft.catchUp}
          onTake={() => replace(original, `The text of revision ${revision} is in the editor.`)}
        />
      )}
      {isReviewed ? (
        <Suspense fallback={<Loading what="the comparison" height="24rem" />}>
          <Review
            target={target}
            original={original}
            text={text}
            send={() => updateDeployment(target, text)}
            sendTitle="Update now"
            backTitle="Back to editing"
            onBack={() => setReviewed(undefined)}
            onSent={draft.discard}
          />
        </Suspense>
      ) : isTable ? (
        <Suspense fallback={<Loading what="the variables" height="24rem" />}>
          <Variables text={text} pods={checked?.outline?.pods} onChange={write} />
        </Suspense>
      ) : (
        <div className="workbench">
          <EditorFrame
            text={text}
            checked={checked}
            openAt={wrongAt ?? requested}
            label="Configuration"
            onChange={write}
            onLine={setLine}
            onSubmit={review}
            onFile={(read, name) => replace(read.replaceAll(/\r\n?/g, '\n'), `${name} is in the editor.`)}
            handle={editor}
          />
          <section className="panel written" aria-label="Resulting application">
            <WrittenPicture checked={checked} line={line} onJump={(place) => editor.current?.jumpTo(place)} />
          </section>
        </div>
      )}
    </div>
  );
}
