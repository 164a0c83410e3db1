/** Deleting a snapshot, with a question before it. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { usePending } from '../parts/use-pending.ts';
import { deleteSnapshot, type Target } from '../service/calls.ts';
import type { Snapshot } from '../service/records.ts';
import type { Problem } from '../service/request.ts';

type DeleteDialogProps = {
  target: Target;
  snapshot: Snapshot;
  onClose: () => void;
  onDone: (message: string) => void;
};

export function DeleteDialog({ target, snapshot: { id }, onClose, onDone }: DeleteDialogProps) {
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const remove = async () => {
    const answer = await whileAsking(deleteSnapshot(target, id));
    if (answer.ok) onDone(answer.value.message);
    else setProblem(answer.problem);
  };
  return (
    <Dialog
      title={`Delete snapshot ${id}?`}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Keep it
          </button>
          <button type="button" className="button danger" disabled={isAsking} onClick={() => void remove()}>
            Delete it
          </button>
        </>
      }
    >
      <p>It can no longer be restored. The data of the application and other snapshots stay as they are.</p>
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}
