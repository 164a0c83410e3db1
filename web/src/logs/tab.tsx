/** The logs of all pods or one: followed, and searched in all stored lines. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import type { Target } from '../service/calls.ts';
import { addLines, hueOf, type Line, matching, maxLines, revisionsOf } from './lines.ts';
import { Scroll } from './scroll.tsx';
import { type Choice, choiceIn, withChoice } from './shown-choice.ts';
import { firstLines, useEarlier, useFound, useLogs } from './use-logs.ts';
import './logs.css';

export default function LogsTab({ target, pods }: { target: Target; pods: readonly PodOutline[] | undefined }) {
  const { lines, connection, problem } = useLogs(target);
  const [choice, setChoice] = useState<Choice>(() => choiceIn(location.search));
  const [wraps, setWraps] = useState(true);
  const { pod, search } = choice;
  const choose = (changed: Partial<Choice>) => setChoice((before) => ({ ...before, ...changed }));
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname + withChoice(choice));
  }, [choice]);

  const revisions = useMemo(() => revisionsOf(lines), [lines]);
  // Without streams, as on Kubernetes, the choice is hidden.
  const tellsStreams = lines.some((line) => line.stream !== undefined);
  const stream = search !== '' || tellsStreams ? choice.stream : '';
  // Its last line may have been dropped for newer ones.
  const revision = search !== '' || revisions.includes(choice.revision) ? choice.revision : 0;
  const filter = useMemo(() => ({ pod, revision, stream, search }), [pod, revision, stream, search]);
  const found = useFound(target, filter);
  const earlier = useEarlier(target, filter);
  const ofPod = useMemo(() => matching(lines, { pod, revision, stream: '', search: '' }), [lines, pod, revision]);
  const followed = useMemo(() => matching(ofPod, filter), [ofPod, filter]);
  const shown = useMemo(
    () => (search === '' ? followed : addLines(found.lines, followed)),
    [search, found.lines, followed],
  );
  const names = useMemo(() => namesOf(pods, lines, pod), [pods, lines, pod]);
  const onPage = useRef<readonly Line[]>([]);
  const order = names.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names as a text, which stays the same while they do
  const hueOfPod = useMemo(() => (name: string) => hueOf(names.indexOf(name)), [order]);

  return (
    <section className="panel logs" aria-label="Logs">
      <div className="row tools">
        <select
          className="input compact"
          aria-label="Pod"
          value={pod}
          onChange={(event) => choose({ pod: event.target.value })}
        >
          <option value="">All pods</option>
          {names.toSorted().map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {revisions.length > 1 && (
          <select
            className="input compact"
            aria-label="Revision"
            value={revision}
            onChange={(event) => choose({ revision: Number(event.target.value) })}
          >
            <option value={0}>All revisions</option>
            {revisions.map((number) => (
              <option key={number} value={number}>
                Revision {number}
              </option>
            ))}
          </select>
        )}
        {(tellsStreams || stream !== '') && (
          <select
            className="input compact"
            aria-label="Stream"
            value={stream}
            onChange={(event) => choose({ stream: event.target.value as Choice['stream'] })}
          >
            <option value="">stdout and stderr</option>
            <option>stdout</option>
            <option>stderr</option>
          </select>
        )}
        <input
          type="search"
          data-search
          className="input compact"
          placeholder="Search all kept lines"
          aria-label="Search in the logs"
          maxLength={200}
          value={search}
          onChange={(event) => choose({ search: event.target.value })}
        />
        <button type="button" className="button compact" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
          Wrap
        </button>
        <button
          type="button"
          className="button compact"
          disabled={shown.length === 0}
          onClick={() => download(`${target.applicationName}.log`, onPage.current)}
        >
          Download
        </button>
        <p className="small soft numbers push" role="status">
          {search === '' ? countOf(shown.length, lines.length) : findsOf(shown.length, found.isLooking)}
        </p>
      </div>
      {(found.problem ?? problem) && <ProblemNotice problem={(found.problem ?? problem)!} />}
      <Scroll
        key={`${pod} ${revision} ${stream} ${search}`}
        lines={shown}
        earlier={search === '' && ofPod.length >= firstLines ? earlier : undefined}
        search={search}
        showsPod={pod === ''}
        wraps={wraps}
        hueOfPod={hueOfPod}
        onPage={onPage}
        says={search === '' ? saysOf(connection) : found.isLooking ? 'Searching …' : 'No line matches.'}
      />
    </section>
  );
}

function countOf(shown: number, known: number): string {
  const count = `${known >= maxLines ? `last ${maxLines}` : known} ${known === 1 ? 'line' : 'lines'}`;
  return shown === known ? count : `${shown} of ${count}`;
}

function findsOf(shown: number, isLooking: boolean): string {
  if (isLooking) return 'Searching …';
  return `${shown} ${shown === 1 ? 'line' : 'lines'} found`;
}

function saysOf(connection: string): string {
  return connection === 'connecting' ? 'Loading …' : 'The pods have not written anything yet. New lines appear here.';
}

/** Returns the pods of the configuration, and further replicas in the order of their first lines. */
function namesOf(pods: readonly PodOutline[] | undefined, lines: readonly Line[], chosen: string): string[] {
  const configured = (pods ?? []).map(({ name }) => name);
  return [...new Set([...configured, ...lines.map(({ pod }) => pod), chosen])].filter(Boolean);
}

function download(name: string, lines: readonly Line[]): void {
  const text = lines.map((line) => `${line.at} ${line.pod} ${line.text}\n`);
  const url = URL.createObjectURL(new Blob(text, { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
