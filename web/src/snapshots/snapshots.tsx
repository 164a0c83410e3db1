/** The snapshots, newest first, and the progress of a restore. */
import { useEffect, useState } from 'react';
import { capitalised } from '../parts/capitalised.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo, printMoment } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { usePending } from '../parts/use-pending.ts';
import { rememberDeployment } from '../remembered/remembered.ts';
import { go } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import { setSnapshotPreferences, snapshotsOf, type Target, takeSnapshot } from '../service/calls.ts';
import type { Restore, Restored, Snapshot } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import {
  badgeOf,
  contentsOf,
  dumpChoiceOf,
  isOpen,
  isUnderWay,
  obstacleOf,
  problemOf,
  stageOf,
  storyOf,
  termsOf,
} from './texts.ts';

/** The interval of updates while something is in progress. */
const lookEveryMs = 1_500;

type SnapshotsPanelProps = { target: Target; isKept: boolean; hasVolumes: boolean };

export function SnapshotsPanel({ target, isKept, hasVolumes }: SnapshotsPanelProps) {
  const { value, problem, reload } = useAnswer(`${isKept}`, () => snapshotsOf(target));
  const [refusal, setRefusal] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  /** The user's choice about updates, before the service has responded. */
  const [wished, setWished] = useState<boolean>();
  const [isDumping, setIsDumping] = useState(false);
  const [asked, setAsked] = useState<{ kind: 'restore' | 'delete'; snapshot: Snapshot }>();
  const isBusy = value !== undefined && isUnderWay(value);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(() => document.hidden || reload(), lookEveryMs);
    return () => clearInterval(timer);
  }, [isBusy, reload]);

  const isOffered = problem?.code !== 'snapshots_not_offered';
  const obstacle = obstacleOf({ isOffered, isKept, hasVolumes });
  const dumpChoice = value && obstacle === undefined ? dumpChoiceOf(value.dumpable) : undefined;
  const isTaking = value?.snapshots.some(({ state }) => state === 'asked') ?? false;
  const [restore] = value?.restores ?? [];
  const isRestoring = value?.restores.some(isOpen) ?? false;

  const take = async () => {
    const answer = await whileAsking(takeSnapshot(target, { dump: isDumping && dumpChoice !== undefined }));
    setRefusal(answer.ok ? undefined : answer.problem);
    if (answer.ok) showToast(answer.value.message);
    reload();
  };
  const wish = async (beforeUpdates: boolean) => {
    setWished(beforeUpdates);
    const answer = await whileAsking(setSnapshotPreferences(target, { beforeUpdates }));
    setRefusal(answer.ok ? undefined : answer.problem);
    if (answer.ok) showToast(answer.value.message);
    else setWished(undefined);
  };
  const close = () => setAsked(undefined);
  const done = (message: string) => {
    close();
    showToast(message);
    reload();
  };

  const open = ({ sessionToken, ...started }: NonNullable<Restored['started']>) => {
    // A signed-in user has it in the account.
    if (target.sessionToken !== undefined)
      rememberDeployment({ ...started, sessionToken, startedAt: new Date().toISOString() });
    go(pathOf({ page: 'deployment', ...started, tab: 'overview' }));
  };

  return (
    <section className="panel padded stack snapshots" aria-label="Snapshots">
      <div className="row">
        <h2>Snapshots</h2>
        {value && obstacle === undefined && (
          <button
            type="button"
            className="button compact push"
            disabled={isAsking || isTaking}
            onClick={() => void take()}
          >
            {isTaking ? 'Taking it …' : 'Take a snapshot'}
          </button>
        )}
      </div>
      {dumpChoice && (
        <div>
          <label className="check">
            <input
              type="checkbox"
              checked={isDumping}
              disabled={isAsking || isTaking}
              onChange={({ target }) => setIsDumping(target.checked)}
            />
            {dumpChoice.label}
          </label>
          <p className="small soft">{dumpChoice.hint}</p>
        </div>
      )}
      {obstacle !== undefined && <p className="soft">{obstacle}</p>}
      {problem && isOffered && <ProblemNotice problem={problem} />}
      {refusal && <ProblemNotice problem={refusal} />}
      {restore && <RestoreStage restore={restore} />}
      {!value && !problem && <Loading what="the snapshots" height="6rem" />}
      {value?.snapshots.length === 0 && obstacle === undefined && (
        <p className="soft small">None yet. A snapshot contains the data of every volume at one instant.</p>
      )}
      {value && value.snapshots.length > 0 && (
        <ol className="snapshot-rows" aria-label="Snapshots, the newest first">
          {value.snapshots.map((snapshot) => (
            <SnapshotRow
              key={snapshot.id}
              snapshot={snapshot}
              isRestoring={isRestoring}
              onRestore={() => setAsked({ kind: 'restore', snapshot })}
              onDelete={() => setAsked({ kind: 'delete', snapshot })}
            />
          ))}
        </ol>
      )}
      {value && obstacle === undefined && (
        <label className="check">
          <input
            type="checkbox"
            checked={wished ?? value.wishes.beforeUpdates}
            disabled={isAsking}
            onChange={({ target }) => void wish(target.checked)}
          />
          Before each update that changes data
        </label>
      )}
      {value && obstacle === undefined && <p className="small soft">{termsOf(value.kept)}</p>}
      {asked?.kind === 'restore' && (
        <RestoreDialog
          target={target}
          snapshot={asked.snapshot}
          onClose={close}
          onDone={(message, started) => (started ? open(started) : done(message))}
        />
      )}
      {asked?.kind === 'delete' && (
        <DeleteDialog target={target} snapshot={asked.snapshot} onClose={close} onDone={done} />
      )}
    </section>
  );
}

function RestoreStage({ restore }: { restore: Restore }) {
  const now = useNow(30_000);
  const { state, finishedAt, before } = restore;
  const problem = problemOf(restore);
  const tone = state === 'failed' ? 'alarm' : problem === undefined ? 'calm' : 'warn';
  return (
    <div className={`notice ${tone}`} role="status">
      <p>
        {stageOf(restore, finishedAt === undefined ? '' : printAgo(now - Date.parse(finishedAt)))}
        {state === 'done' && before !== undefined && ` The previous data is in snapshot ${before}.`}
      </p>
      {problem !== undefined && <p className="small">{problem}</p>}
    </div>
  );
}

type SnapshotRowProps = { snapshot: Snapshot; isRestoring: boolean; onRestore: () => void; onDelete: () => void };

function SnapshotRow({ snapshot, isRestoring, onRestore, onDelete }: SnapshotRowProps) {
  const now = useNow(30_000);
  const { id, state, takenAt, createdAt } = snapshot;
  const contents = contentsOf(snapshot);
  const { word, tone } = badgeOf(snapshot);
  const at = Date.parse(takenAt ?? createdAt);
  const problem = problemOf(snapshot);
  return (
    <li>
      <span className={`badge ${tone}`}>{word}</span>
      <div className="told">
        <h3>
          <time dateTime={takenAt ?? createdAt} title={capitalised(printMoment(at, now))}>
            {capitalised(printAgo(now - at))}
          </time>
          <code className="small soft">{id}</code>
        </h3>
        <p className="small">{storyOf(snapshot)}</p>
        {contents !== '' && <p className="small soft">{contents}</p>}
        {problem !== undefined && <p className="small">{problem}</p>}
      </div>
      <div className="row actions">
        {state === 'taken' && (
          <button
            type="button"
            className="button compact"
            disabled={isRestoring}
            aria-label={`Restore snapshot ${id}`}
            onClick={onRestore}
          >
            Restore …
          </button>
        )}
        {state !== 'asked' && (
          <button
            type="button"
            className="button compact danger"
            disabled={isRestoring}
            aria-label={`Delete snapshot ${id}`}
            onClick={onDelete}
          >
            Delete
          </button>
        )}
      </div>
    </li>
  );
}
