/** Removes several deployments at once, after a question that names each. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { recordEnd, targetOf } from '../remembered/remembered.ts';
import { removeDeployment } from '../service/calls.ts';
import type { Problem } from '../service/request.ts';
import { draftOf } from '../stored-texts/names.ts';
import { drop } from '../stored-texts/use-stored-text.ts';
import { keyOf, type Listed } from './use-list.ts';

type RemoveSeveralProps = { listed: readonly Listed[]; onDone: () => void };

/** Always there, so that the list does not move when something is picked. */
export function RemoveSeveral({ listed, onDone }: RemoveSeveralProps) {
  // The deployments as the user confirmed them. The list may change behind the dialog.
  const [asked, setAsked] = useState<readonly Listed[]>();
  return (
    <>
      <button
        type="button"
        className="button compact danger"
        disabled={listed.length === 0}
        onClick={() => setAsked(listed)}
      >
        {listed.length === 0 ? 'Remove selected' : `Remove ${listed.length} selected`}
      </button>
      {asked && (
        <Question
          listed={asked}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            setAsked(undefined);
            onDone();
          }}
        />
      )}
    </>
  );
}

function Question({ listed, onDone, onClose }: RemoveSeveralProps & { onClose: () => void }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const [refused, setRefused] = useState<{ one: Listed; problem: Problem }[]>([]);
  const left = refused.length > 0 ? refused.map(({ one }) => one) : listed;
  const count = left.length === 1 ? '1 deployment' : `${left.length} deployments`;

  const removeAll = async () => {
    setIsRemoving(true);
    const problems: typeof refused = [];
    // One after another, because each is an exclusive transaction.
    for (const one of left) {
      const answer = await removeDeployment(targetOf(one));
      if (!answer.ok) {
        problems.push({ one, problem: answer.problem });
        continue;
      }
      recordEnd(one, true);
      if (answer.value.restorableUntil === undefined) drop(draftOf(one));
    }
    setIsRemoving(false);
    const removed = left.length - problems.length;
    if (removed > 0) showToast(`${removed === 1 ? '1 deployment was' : `${removed} deployments were`} removed.`);
    if (problems.length === 0) return onDone();
    setRefused(problems);
  };

  return (
    <Dialog
      title={`Remove ${count}?`}
      onClose={refused.length > 0 ? onDone : onClose}
      actions={
        <>
          <button type="button" className="button" onClick={refused.length > 0 ? onDone : onClose}>
            {left.length === 1 ? 'Keep it' : 'Keep them'}
          </button>
          <button type="button" className="button danger" disabled={isRemoving} onClick={() => void removeAll()}>
            {isRemoving ? 'Removing …' : left.length === 1 ? 'Remove it with its data' : 'Remove them with their data'}
          </button>
        </>
      }
    >
      <ul className="to-remove">
        {left.map((one) => (
          <li key={keyOf(one)}>
            <strong>{one.applicationName}</strong> <span className="soft small">{one.environment}</span>
          </li>
        ))}
      </ul>
      <p>
        {left.length === 1 ? 'Its site and its pods are' : 'Their sites and their pods are'} removed at once. Data is
        kept for a while, so that it can be restored, and then deleted.
      </p>
      {refused.map(({ one, problem }) => (
        <ProblemNotice key={keyOf(one)} problem={{ ...problem, error: `${one.applicationName}: ${problem.error}` }} />
      ))}
    </Dialog>
  );
}
