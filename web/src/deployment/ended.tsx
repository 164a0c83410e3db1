/** A deployment that has ended, and can be restored for a while. */
import { useState } from 'react';
import { DeployAgain } from '../home/deploy-again.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printCountdown } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import { usePending } from '../parts/use-pending.ts';
import { go, Link } from '../routing/router.tsx';
import { deleteRetainedData, restoreDeployment, type Target } from '../service/calls.ts';
import type { Answer, Problem } from '../service/request.ts';
import { draftOf } from '../stored-texts/names.ts';
import { drop } from '../stored-texts/use-stored-text.ts';
import type { endOf } from './event-text.ts';

const words = { removed: 'was removed', expired: 'has expired', ended: 'has ended' };

type EndedDeploymentProps = {
  until: string;
  /** Undefined before its events are loaded. */
  end: ReturnType<typeof endOf>;
  target: Target;
  onRestored: () => void;
};

export function EndedDeployment({ until, end, target, onRestored }: EndedDeploymentProps) {
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const [isForgetting, setIsForgetting] = useState(false);
  const left = Date.parse(until) - useNow(1_000);
  const { applicationName } = target;

  const ask = async (question: Promise<Answer<unknown>>, reported: string, then: () => void) => {
    const answer = await whileAsking(question);
    if (!answer.ok) return setProblem(answer.problem);
    showToast(reported);
    then();
  };
  const forget = () => {
    setIsForgetting(false);
    void ask(deleteRetainedData(target), `The data of ${applicationName} is deleted.`, () => {
      drop(draftOf(target));
      go('/deployments', { replace: true });
    });
  };

  return (
    <div className="page">
      <div className="empty">
        <h1>{`${applicationName} ${words[end ?? 'ended']}`}</h1>
        <p>
          Its site is gone. Its data is kept for <strong className="numbers">{printCountdown(left)}</strong>: until then
          it can be restored, at the same address.
        </p>
        <div className="row">
          <button
            type="button"
            className="button primary"
            disabled={isAsking}
            onClick={() => void ask(restoreDeployment(target), `${applicationName} is being restored.`, onRestored)}
          >
            Restore
          </button>
          <button type="button" className="button danger" disabled={isAsking} onClick={() => setIsForgetting(true)}>
            Delete its data …
          </button>
          <DeployAgain place={target} />
          <Link to="/deployments" className="button">
            Your deployments
          </Link>
        </div>
        {problem && <ProblemNotice problem={problem} />}
        {isForgetting && (
          <Dialog
            title={`Delete the data of ${applicationName}?`}
            onClose={() => setIsForgetting(false)}
            actions={
              <>
                <button type="button" className="button" onClick={() => setIsForgetting(false)}>
                  Keep it
                </button>
                <button type="button" className="button danger" onClick={forget}>
                  Delete it now
                </button>
              </>
            }
          >
            <p>Its volumes and its configuration on this server are deleted at once. This can't be undone.</p>
          </Dialog>
        )}
      </div>
    </div>
  );
}
