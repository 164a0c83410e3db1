/** Shares the address of an application, and a public page with its status. */
import { lazy, Suspense, useState } from 'react';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { shareDeployment, shareLinkOf, type Target, unshareDeployment } from '../service/calls.ts';
import type { Answer, Problem } from '../service/request.ts';
import './sharing.css';
import { usePending } from '../parts/use-pending.ts';

const QrCode = lazy(() => import('./qr-code.tsx'));

type ShareDialogProps = { target: Target; url: string; onClose: () => void };

export default function ShareDialog({ target, url, onClose }: ShareDialogProps) {
  return (
    <Dialog
      title={`Share ${target.applicationName}`}
      onClose={onClose}
      actions={
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <div className="share-address">
        <Suspense fallback={<div className="qr-code" />}>
          <QrCode text={url} what="the address" />
        </Suspense>
        <p className="row">
          <a href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '')}
          </a>
          <CopyButton text={url} what="the address" />
        </p>
      </div>
      <StatusPage target={target} />
    </Dialog>
  );
}

function StatusPage({ target }: { target: Target }) {
  const known = useAnswer('', () => shareLinkOf(target));
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const isShared = known.value !== undefined && known.problem === undefined;
  const isKnown = isShared || known.problem?.code === 'share_not_found';

  const ask = async (question: () => Promise<Answer<unknown>>) => {
    const answer = await whileAsking(question());
    setProblem(answer.ok ? undefined : answer.problem);
    known.reload();
  };

  return (
    <section className="stack share-status" aria-label="Status page">
      <h3>Status page</h3>
      <p className="small soft">
        Everyone with this link sees the state, the pods and the address, but not the configuration or the logs. It
        works until you revoke it.
      </p>
      {isShared && (
        <p className="row">
          <a className="link" href={known.value!.url} target="_blank" rel="noreferrer">
            {known.value!.url}
          </a>
          <CopyButton text={known.value!.url} what="the link" />
        </p>
      )}
      {isKnown && (
        <div>
          <button
            type="button"
            className={isShared ? 'button compact danger' : 'button compact'}
            disabled={isAsking}
            onClick={() => void ask(() => (isShared ? unshareDeployment(target) : shareDeployment(target)))}
          >
            {isShared ? 'Revoke it' : 'Create a link'}
          </button>
        </div>
      )}
      {(problem ?? (isKnown ? undefined : known.problem)) && <ProblemNotice problem={(problem ?? known.problem)!} />}
    </section>
  );
}
