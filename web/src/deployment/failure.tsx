/** Why a deployment has failed: the decisive log line, and a suggested fix if one is certain. */
import { useLayoutEffect, useRef } from 'react';
import { hasFailedBuild } from '../../../src/client/build-failure.ts';
import { DeployAgain } from '../home/deploy-again.tsx';
import { capitalised } from '../parts/capitalised.ts';
import { Prose } from '../parts/prose.tsx';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { usePending } from '../parts/use-pending.ts';
import type { Edited } from '../pod-edits/pod-edits.ts';
import { go, Link } from '../routing/router.tsx';
import { pathOf, type Route } from '../routing/routes.ts';
import { configurationOf, restartPod, type Target } from '../service/calls.ts';
import type { Configuration, PodState, Status } from '../service/records.ts';
import { draftOf } from '../stored-texts/names.ts';
import { draftFrom } from '../stored-texts/stored-texts.ts';
import { storedAs, storeText } from '../stored-texts/use-stored-text.ts';
import { decisiveLine } from './decisive-line.ts';

type FailureProps = { status: Status; target: Target; route: Extract<Route, { page: 'deployment' }> };

export function Failure({ status, target, route }: FailureProps) {
  const { message = '', lastLines = [], pods = [] } = status;
  const output = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of other lines the last ones are to be seen too
  useLayoutEffect(() => {
    output.current?.scrollTo({ top: output.current.scrollHeight });
  }, [lastLines.length]);
  const failed = pods.find(({ state }) => state === 'failed');
  // The output of a running program may be unrelated to its failing health check.
  const decisive = failed?.lastExit && !status.advice ? decisiveLine(lastLines) : undefined;
  const at = (tab: 'build' | 'logs' | 'configuration' | 'revisions') => pathOf({ ...route, tab });
  const isOfBuild = hasFailedBuild(status);
  return (
    <div className={status.health === 'serving' ? 'notice warn' : 'notice alarm'} role="alert">
      <strong>{decisive?.line ?? <Prose text={capitalised(message)} />}</strong>
      {decisive && (
        <p className="small">
          <Prose text={capitalised(message)} />
        </p>
      )}
      <Actions status={status} target={target} pod={failed} missingVariable={decisive?.missingVariable} />
      {lastLines.length > 0 && (
        <>
          <p className="small">Last lines of the {isOfBuild ? 'build' : 'pod'}:</p>
          <pre ref={output} tabIndex={0}>
            {lastLines.join('\n')}
          </pre>
        </>
      )}
      <Evidence pods={pods} />
      <p className="small">
        <Link to={failed ? `${at('configuration')}?pod=${encodeURIComponent(failed.name)}` : at('configuration')}>
          Correct the configuration
        </Link>{' '}
        and send it as an update: the address stays.{' '}
        <Link to={at(isOfBuild ? 'build' : 'logs')}>{isOfBuild ? 'The output of the build' : 'The logs'}</Link> may say
        more.
        {status.health === 'serving' && status.servingRevision !== undefined && (
          <>
            {' '}
            <Link to={`${at('revisions')}?from=${status.servingRevision}&to=${status.revision}`}>
              Compare it with revision {status.servingRevision}
            </Link>
            , which is serving, or <Link to={`${at('revisions')}?back=${status.servingRevision}`}>go back to it</Link>.
          </>
        )}
      </p>
      <div className="row">
        <DeployAgain place={route} className="button compact" />
      </div>
    </div>
  );
}

/** The responses of failing health checks. */
export function Evidence({ pods }: { pods: readonly PodState[] }) {
  return pods
    .filter(({ healthCheckBody }) => healthCheckBody !== undefined)
    .map(({ name, healthCheckBody }) => (
      <div key={name}>
        <p className="small">Response to the health check of {name}:</p>
        <pre tabIndex={0}>{healthCheckBody}</pre>
      </div>
    ));
}

type ActionsProps = {
  status: Status;
  target: Target;
  pod: PodState | undefined;
  missingVariable: string | undefined;
};

function Actions({ status, target, pod, missingVariable }: ActionsProps) {
  const [isAsking, whileAsking] = usePending();
  const { advice } = status;
  // After a failed update, the shown pods are those of the serving revision.
  const canRestart = pod?.lastExit !== undefined && status.health === 'failed';
  if (!advice && !canRestart && (pod === undefined || missingVariable === undefined)) return null;

  const mend = async (
    change: (edits: typeof import('../pod-edits/pod-edits.ts'), text: string) => Edited | undefined,
  ) => {
    const [edits, answer] = await whileAsking(
      Promise.all([import('../pod-edits/pod-edits.ts'), configurationOf(target)]),
    );
    if (!answer.ok) return showToast(answer.problem.error);
    const { text, begun } = draftAt(target, answer.value);
    const edited = change(edits, text);
    if (edited && edited.text !== text) storeText(draftOf(target), edited.text, { revision: begun });
    go(`${pathOf({ page: 'deployment', ...target, tab: 'configuration' })}${edited ? `?line=${edited.line}` : ''}`);
  };
  const restart = async (name: string) => {
    const answer = await whileAsking(restartPod(target, name));
    showToast(answer.ok ? `${name} is restarting.` : answer.problem.error);
  };

  return (
    <div className="row">
      {advice && (
        <button
          type="button"
          className="button compact primary"
          disabled={isAsking}
          onClick={() => void mend((edits, text) => edits.withPort(text, advice.pod, advice))}
        >
          Use port {advice.listensOn}
        </button>
      )}
      {pod && missingVariable !== undefined && (
        <VariableAction
          status={status}
          target={target}
          pod={pod.name}
          variable={missingVariable}
          disabled={isAsking}
          onClick={() => void mend((edits, text) => edits.withVariable(text, pod.name, missingVariable))}
        />
      )}
      {canRestart && (
        <button type="button" className="button compact" disabled={isAsking} onClick={() => void restart(pod.name)}>
          Restart {pod.name}
        </button>
      )}
    </div>
  );
}

type VariableActionProps = {
  status: Status;
  target: Target;
  pod: string;
  variable: string;
  disabled: boolean;
  onClick: () => void;
};

/** A program also misses a variable that is there and has no good value: it is not to be added then. */
function VariableAction({ status, target, pod, variable, disabled, onClick }: VariableActionProps) {
  const { value: isThere, problem } = useAnswer<boolean>(`${status.revision} ${pod} ${variable}`, async () => {
    const [edits, answer] = await Promise.all([import('../pod-edits/pod-edits.ts'), configurationOf(target)]);
    if (!answer.ok) return answer;
    const { text } = draftAt(target, answer.value);
    return { ok: true, value: edits.lineOfVariable(text, pod, variable) !== undefined };
  });
  if (isThere === undefined && !problem) return null;
  return (
    <button type="button" className="button compact primary" disabled={disabled} onClick={onClick}>
      {isThere ? 'Edit' : 'Add'} {variable}
    </button>
  );
}

function draftAt(target: Target, { yaml, revision }: Configuration) {
  return draftFrom(storedAs(draftOf(target)), yaml.replaceAll(/\r\n?/g, '\n'), revision);
}
