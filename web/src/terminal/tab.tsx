/** Commands in the pods of a deployment: a shell on the page, where the operator allows it. */
import { lazy, Suspense, useRef, useState } from 'react';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { limitsOf, type Target } from '../service/calls.ts';
import { withOwnHint } from '../service/own-hints.ts';
import type { Deployment } from '../service/records.ts';
import type { End } from './connection.ts';
import './terminal.css';

const Screen = lazy(() => import('./screen.tsx'));

type TerminalTabProps = {
  target: Target;
  deployment: Pick<Deployment, 'status' | 'claim'>;
  /** The pods of the configuration. Undefined until they are loaded. */
  pods: readonly PodOutline[] | undefined;
};

export default function TerminalTab({ target, deployment, pods = [] }: TerminalTabProps) {
  const { status, claim } = deployment;
  const limits = useAnswer('', () => limitsOf(target));
  if (limits.problem) return <ProblemNotice problem={limits.problem} />;
  if (!limits.value) return <Loading what="the terminal" height="24rem" />;
  // For a claimed deployment, the plan decides. Its refusal has a message.
  if (claim.claimed || limits.value.exec) return <Shell target={target} pods={publicFirst(status.pods ?? [], pods)} />;
  return (
    <div className="notice calm">
      <p>
        Commands can be run in the pods of claimed deployments. Claim this one, and its pods have a terminal here if the
        operator allows it.
      </p>
    </div>
  );
}

type Opened = { pod: string; number: number; end?: End };

/** Public pods come first, because their owner opens them most often. */
function publicFirst(pods: readonly { name: string }[], outline: readonly PodOutline[]): string[] {
  const isPublic = (name: string) => outline.some((pod) => pod.name === name && pod.paths.length > 0);
  return pods.map(({ name }) => name).sort((a, b) => Number(isPublic(b)) - Number(isPublic(a)));
}

function Shell({ target, pods }: { target: Target; pods: readonly string[] }) {
  const [chosen, setChosen] = useState<string>();
  const [opened, setOpened] = useState<Opened>();
  const leaving = useRef<HTMLButtonElement>(null);
  const pod = chosen !== undefined && pods.includes(chosen) ? chosen : pods[0];
  const isOpen = opened !== undefined && opened.end === undefined;
  if (pod === undefined) return <p className="notice calm">No pod runs.</p>;
  const open = () => setOpened((before) => ({ pod, number: (before?.number ?? 0) + 1 }));
  return (
    <section className="panel pod-terminal" aria-label="Terminal">
      <div className="row tools">
        <select
          className="input compact"
          aria-label="Pod"
          value={isOpen ? opened.pod : pod}
          disabled={isOpen}
          onChange={(event) => setChosen(event.target.value)}
        >
          {pods.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {isOpen ? (
          <button
            type="button"
            className="button compact"
            ref={leaving}
            onClick={() => setOpened({ ...opened, end: { kind: 'ended', exitCode: null, message: 'You ended it.' } })}
          >
            End it
          </button>
        ) : (
          <button type="button" className="button compact primary" onClick={open}>
            {opened ? 'Open another one' : 'Open a terminal'}
          </button>
        )}
        <span className="soft small push">
          {isOpen ? 'F6 leaves the terminal.' : 'The operator can see who opens a terminal.'}
        </span>
      </div>
      {opened?.end && <Ended end={opened.end} pod={opened.pod} />}
      {opened && opened.end?.kind !== 'refused' && (
        <Suspense fallback={<Loading what="the terminal" height="24rem" />}>
          <Screen
            key={opened.number}
            target={target}
            pod={opened.pod}
            isOver={!isOpen}
            onEnd={(end) => setOpened((before) => before && { ...before, end })}
            onLeave={() => leaving.current?.focus()}
          />
        </Suspense>
      )}
      {!opened && (
        <p className="idle soft">
          A shell in a pod, with its user, its variables and its files. It ends when you leave this page.
        </p>
      )}
    </section>
  );
}

function Ended({ end, pod }: { end: End; pod: string }) {
  if (end.kind === 'refused') return <ProblemNotice problem={withOwnHint(end)} />;
  return (
    <p className="ended soft small" role="status">
      {describeEnd(end, pod)}
    </p>
  );
}

function describeEnd(end: Exclude<End, { kind: 'refused' }>, pod: string): string {
  if (end.kind === 'broken') return `The connection to ${pod} was lost. The shell was stopped.`;
  if (end.message !== undefined) return end.message;
  if (end.exitCode === null) return `The container of ${pod} has ended, and the shell with it.`;
  return end.exitCode === 0
    ? `The shell in ${pod} has ended.`
    : `The shell in ${pod} has ended with exit code ${end.exitCode}.`;
}
