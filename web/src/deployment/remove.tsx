/** Removing a deployment, with a question before it. */
import { useState } from 'react';
import { deployAgainAction } from '../home/deploy-again.tsx';
import { draftOf } from '../kept/names.ts';
import { drop } from '../kept/use-kept.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { tellUser } from '../parts/toast.tsx';
import { go } from '../routing/router.tsx';
import type { Problem } from '../service/ask.ts';
import { removeDeployment, type Target } from '../service/calls.ts';

export function RemoveButton({ target }: { target: Target }) {
  const [isOpen, setIsOpen] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { applicationName } = target;

  const remove = async () => {
    const answer = await removeDeployment(target);
    if (!answer.ok) return setProblem(answer.problem);
    drop(draftOf(target));
    tellUser(`${applicationName} was removed.`, deployAgainAction(target));
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
          <p>Its site goes at once; its pods, its volumes and all data in them follow. This can't be undone.</p>
          {problem && <ProblemNotice problem={problem} />}
        </Dialog>
      )}
    </>
  );
}
