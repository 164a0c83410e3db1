/** The history of a deployment: its revisions, the difference of any two, and rollbacks. */
import { useEffect, useMemo, useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { revisionsOf, type Target } from '../service/calls.ts';
import type { Status } from '../service/records.ts';
import { BackReview } from './back-review.tsx';
import { PairComparison } from './pair-comparison.tsx';
import { RevisionList } from './revision-list.tsx';
import { earlierThan, type Shown, shownIn, usualPair, withShown } from './texts.ts';
import './revisions.css';

type RevisionsTabProps = {
  target: Target;
  /** Changes when the revisions may have changed. */
  status: Pick<Status, 'state' | 'revision' | 'servingRevision'>;
};

export default function RevisionsTab({ target, status }: RevisionsTabProps) {
  const { state, revision, servingRevision } = status;
  const requested = useAnswer(`${state} ${revision} ${servingRevision}`, () => revisionsOf(target));
  const [shown, setShown] = useState<Shown>(() => shownIn(location.search));
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname + withShown(shown));
  }, [shown]);

  const revisions = requested.value?.revisions;
  const numbers = useMemo(() => revisions?.map(({ number }) => number) ?? [], [revisions]);
  if (!revisions)
    return requested.problem ? (
      <ProblemNotice problem={requested.problem} />
    ) : (
      <Loading what="the revisions" height="24rem" />
    );

  const current = revisions.find(({ isCurrent }) => isCurrent)?.number;
  const pair = shown.pair ?? usualPair(revisions);
  const { back } = shown;
  const compare = (to: number) => {
    const from = earlierThan(revisions, to);
    if (from !== undefined) setShown({ pair: { from, to } });
  };
  return (
    <div className="stack">
      <RevisionList
        revisions={revisions}
        target={target}
        pair={back === undefined ? pair : undefined}
        onCompare={compare}
        onBack={(number) => setShown({ back: number })}
      />
      {back !== undefined && back !== current && current !== undefined && (
        <BackReview target={target} current={current} back={back} onCancel={() => setShown({})} />
      )}
      {(back === undefined || back === current) &&
        (pair && numbers.length > 1 ? (
          <PairComparison
            target={target}
            numbers={numbers}
            pair={pair}
            isAsked={shown.pair !== undefined}
            onChoose={(chosen) => setShown({ pair: chosen })}
          />
        ) : (
          <p className="small soft">With the next update there are two revisions to compare, and one to go back to.</p>
        ))}
    </div>
  );
}
