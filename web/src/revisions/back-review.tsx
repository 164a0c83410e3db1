/** Shows the changes of a rollback before it is requested. */
import Review from '../configuration/review.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { rollBack, type Target } from '../service/calls.ts';
import { scrollIntoView } from './scroll-into-view.ts';
import { useTexts } from './use-texts.ts';

type BackReviewProps = { target: Target; current: number; back: number; onCancel: () => void };

export function BackReview({ target, current, back, onCancel }: BackReviewProps) {
  const { texts, problem } = useTexts(target, { from: current, to: back });
  if (problem) return <ProblemNotice problem={problem} />;
  if (!texts) return <Loading what="the comparison" height="24rem" />;
  return (
    <>
      <p className="small soft" ref={scrollIntoView}>
        Going back makes revision {current + 1} with the text of revision {back}. Volumes keep their data as it is now.
      </p>
      <Review
        target={target}
        original={texts.from}
        text={texts.to}
        send={() => rollBack(target, back)}
        sendTitle={`Go back to revision ${back}`}
        backTitle="Cancel"
        onBack={onCancel}
      />
    </>
  );
}
