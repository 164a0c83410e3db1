/** Removing a deployment, with a question before it. */
import { useState } from 'react';
import { deployAgainAction } from '../home/deploy-again.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { recordEnd } from '../remembered/remembered.ts';
import { go } from '../routing/router.tsx';
import { removeDeployment, type Target } from '../service/calls.ts';
import type { Problem } from '../service/request.ts';
import { draftOf } from '../stored-texts/names.ts';
import { drop } from '../stored-texts/use-stored-text.ts';

/** `onKept`: it is removed, and can be restored. */
export function RemoveButton({ target, onKept }: { target: Target; onKept: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { applicationName } = target;

  const remove = async () => {
    const answer = await removeDeployment(target);
    if (!answer.ok) return setProblem(answer.problem);
    recordEnd(target, true);
    if (answer.value.restorableUntil !== undefined) {
      showToast(`${applicationName} was removed.`);
      setIsOpen(false);
      return onKept();
    }
    drop(draftOf(target));
    showToast(`${applicationName} was removed.`, deployAgainAction(target));
    go('/deployments', { replace: true });
  };

  return (
    <>
      <button type="button" className="button danger" onClick={() => setIsOpen(true)}>
        Remove
      </button>
      {isOpen && (
        <Dialog
          title={`Remove ${applicationName}?`}
          onClose={() => setIsOpen(false)}
          actions={
            <>
              <button type="button" className="button" onClick={() => setIsOpen(false)}>
                Keep it
              </button>
              <button type="button" className="button danger" onClick={() => void remove()}>
                Remove it with its data
              </button>
            </>
          }
        >
          <p>
            Its site and its pods are removed at once. Its data is kept for a while, so that it can be restored, and
            then deleted.
          </p>
          {problem && <ProblemNotice problem={problem} />}
        </Dialog>
      )}
    </>
  );
}
