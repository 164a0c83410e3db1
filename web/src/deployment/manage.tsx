/** Actions on the pods of a running deployment: restart one, connect to its database, stop them all. */
import { useState } from 'react';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { configurationOf, restartPod, stopApplication, type Target } from '../service/calls.ts';
import type { PodState } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import './manage.css';
import { usePending } from '../parts/use-pending.ts';

type ManageProps = { target: Target; pods: readonly PodState[]; onChange: () => void };

export function ManageButton(props: ManageProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setIsOpen(true)}>
        Manage
      </button>
      {isOpen && <ManageDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ManageDialog({ target, pods, onChange, onClose }: ManageProps & { onClose: () => void }) {
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const { applicationName } = target;
  const databases = useAnswer('', () => configurationOf(target)).value?.databases;

  const ask = async (question: Promise<Answer<unknown>>, reported: string) => {
    setProblem(undefined);
    const answer = await whileAsking(question);
    if (!answer.ok) return setProblem(answer.problem);
    showToast(reported);
    onChange();
    onClose();
  };

  return (
    <Dialog
      title={`Pods of ${applicationName}`}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
          <button
            type="button"
            className="button danger"
            disabled={isAsking}
            onClick={() => void ask(stopApplication(target), `${applicationName} is stopped.`)}
          >
            Stop all pods
          </button>
        </>
      }
    >
      <ul className="managed-pods">
        {pods.map(({ name, state }) => {
          const database = databases?.find(({ pod }) => pod === name);
          return (
            <li key={name}>
              <strong>{name}</strong>
              <span className={`badge ${state}`}>{state}</span>
              <span className="row push">
                {database && (
                  <span className="database small soft">
                    Database URL
                    <CopyButton text={database.url} what={`the database URL of ${name}`} />
                  </span>
                )}
                <button
                  type="button"
                  className="button compact"
                  disabled={isAsking}
                  aria-label={`Restart ${name}`}
                  onClick={() => void ask(restartPod(target, name), `${name} is restarting.`)}
                >
                  Restart
                </button>
              </span>
            </li>
          );
        })}
      </ul>
      {pods.length === 0 && <p className="soft">No pod has been started yet.</p>}
      <p className="small soft">
        A restarted pod is ready before the old one stops; one with volumes stops first. <em>Stop all pods</em> takes
        the site offline: the address, the data and the time limit stay, and <em>Start</em> brings it back.
        {databases &&
          databases.length > 0 &&
          ' A database URL contains the password, and works only inside this deployment.'}
      </p>
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}
