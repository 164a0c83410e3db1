/** A notice that another revision was created while the user was editing. */
import { lazy, Suspense, useState } from 'react';
import { Loading } from '../parts/loading.tsx';

const Comparison = lazy(() => import('./comparison.tsx').then(({ Comparison }) => ({ default: Comparison })));

type NewerRevisionProps = {
  revision: number;
  /** The revision that the edited text began with. */
  behind: number;
  original: string;
  text: string;
  onKeep: () => void;
  onTake: () => void;
};

export function NewerRevision({ revision, behind, original, text, onKeep, onTake }: NewerRevisionProps) {
  const [isCompared, setIsCompared] = useState(false);
  return (
    <section className="stack" aria-label="A newer revision">
      <div className="notice warn">
        <p>
          <strong>Revision {revision} arrived</strong> while you were editing revision {behind}. Your text is below, as
          you left it.
        </p>
        <div className="row">
          <button
            type="button"
            className="button compact"
            aria-expanded={isCompared}
            onClick={() => setIsCompared(!isCompared)}
          >
            Compare
          </button>
          <button type="button" className="button compact" onClick={onKeep}>
            Keep my text
          </button>
          <button type="button" className="button compact" onClick={onTake}>
            Take revision {revision}
          </button>
        </div>
      </div>
      {isCompared && (
        <div className="panel comparison">
          <h2>Changes of your text to revision {revision}</h2>
          <Suspense fallback={<Loading what="the comparison" height="12rem" />}>
            <Comparison original={original} text={text} />
          </Suspense>
        </div>
      )}
    </section>
  );
}
