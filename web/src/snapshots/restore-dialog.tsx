/** Previews the effect of restoring a snapshot, in place or as a new deployment, before the restore is requested. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { usePending } from '../parts/use-pending.ts';
import { previewRestore, type Restoring, restoreSnapshot, type Target } from '../service/calls.ts';
import type { Restored, RestorePreview, Snapshot } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import { replacedBy, startedWith, volumesIn } from './texts.ts';

type RestoreDialogProps = {
  target: Target;
  snapshot: Snapshot;
  onClose: () => void;
  onDone: (message: string, started: Restored['started']) => void;
};

export function RestoreDialog({ target, snapshot, onClose, onDone }: RestoreDialogProps) {
  const { id } = snapshot;
  const now = useNow(30_000);
  const names = volumesIn(snapshot);
  /** Undefined: all volumes that can be restored. */
  const [chosen, setChosen] = useState<readonly string[]>();
  const [isBeside, setIsBeside] = useState(false);
  const [refusal, setRefusal] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const restoring: Restoring = {
    snapshot: id,
    ...(chosen && { volumes: [...chosen] }),
    ...(isBeside && { beside: true }),
  };
  const key = `${isBeside} ${chosen?.join(' ') ?? '*'}`;
  // The response to another choice does not apply to this one.
  const requested = useAnswer(key, async (): Promise<Answer<{ key: string; preview: RestorePreview | undefined }>> => {
    if (chosen?.length === 0) return { ok: true, value: { key, preview: undefined } };
    const answer = await previewRestore(target, restoring);
    return answer.ok ? { ok: true, value: { key, preview: answer.value } } : answer;
  });
  const preview = requested.value?.key === key ? requested.value.preview : undefined;
  const isWaiting = requested.value?.key !== key && !requested.problem;
  const isChosen = (name: string) => (chosen ?? preview?.volumes ?? names).includes(name);

  const choose = (name: string) => setChosen(names.filter((each) => (each === name) !== isChosen(each)));
  const restore = async () => {
    const answer = await whileAsking(restoreSnapshot(target, restoring));
    if (answer.ok) onDone(answer.value.message, answer.value.started);
    else setRefusal(answer.problem);
  };
  return (
    <Dialog
      title={`Restore snapshot ${id}?`}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className={isBeside ? 'button primary' : 'button danger'}
            disabled={!preview || isAsking}
            onClick={() => void restore()}
          >
            {isBeside ? 'Start as a new deployment' : 'Replace the data'}
          </button>
        </>
      }
    >
      <fieldset className="stack restore-choice">
        <legend className="small soft">Where</legend>
        {[false, true].map((value) => (
          <label className="check" key={String(value)}>
            <input
              type="radio"
              name="restore-where"
              checked={isBeside === value}
              onChange={() => {
                setIsBeside(value);
                setRefusal(undefined);
              }}
            />
            {value ? 'As a new deployment' : 'In place'}
          </label>
        ))}
      </fieldset>
      {names.length > 1 && (
        <fieldset className="stack restore-choice">
          <legend className="small soft">Volumes</legend>
          {names.map((name) => (
            <label className="check" key={name}>
              <input type="checkbox" checked={isChosen(name)} onChange={() => choose(name)} />
              <code>{name}</code>
            </label>
          ))}
        </fieldset>
      )}
      <div className="restore-preview stack" aria-live="polite">
        {isWaiting && <Loading what="what it does" height="6rem" />}
        {preview && (
          <>
            <p>{isBeside ? startedWith(preview, now) : replacedBy(preview, now)}</p>
            <p className="small">
              {isBeside ? 'The existing deployment does not change.' : stoppedText(preview)}
              {preview.left.length > 0 &&
                ` ${isBeside ? 'Empty at first' : 'Left as they are'}: ${preview.left.join(', ')}.`}
            </p>
            <p className="small soft">
              {isBeside
                ? 'It has its own address and the same passwords, and counts like any other deployment.'
                : 'A snapshot of the current data is taken first. Data written in the seconds between the snapshot and the stop is lost. The configuration stays.'}
            </p>
          </>
        )}
        {chosen?.length === 0 && <p className="soft">Choose a volume.</p>}
      </div>
      {(refusal ?? requested.problem) && <ProblemNotice problem={(refusal ?? requested.problem)!} />}
    </Dialog>
  );
}

function stoppedText({ stopped }: RestorePreview): string {
  return stopped.length === 0 ? 'No pod is stopped.' : `Stopped and started again: ${stopped.join(', ')}.`;
}
