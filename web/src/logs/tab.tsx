/** The logs: of all pods or one, followed, searched. */
import { useMemo, useState } from 'react';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import type { Target } from '../service/calls.ts';
import { type Line, matching, maxLines, revisionsOf } from './lines.ts';
import { Scroll } from './scroll.tsx';
import { useLogs } from './use-logs.ts';
import './logs.css';

export default function LogsTab({ target, pods }: { target: Target; pods: readonly PodOutline[] | undefined }) {
  const { lines, connection, problem } = useLogs(target);
  const [pod, setPod] = useState(() => new URLSearchParams(location.search).get('pod') ?? '');
  const [search, setSearch] = useState('');
  const [chosen, setRevision] = useState(0);
  const revisions = useMemo(() => revisionsOf(lines), [lines]);
  // Its last line may have made room for newer ones.
  const revision = revisions.includes(chosen) ? chosen : 0;
  const shown = useMemo(() => matching(lines, { pod, revision, search }), [lines, pod, revision, search]);
  const names = useMemo(() => namesOf(pods, lines, pod), [pods, lines, pod]);

  return (
    <section className="panel logs" aria-label="Logs">
      <div className="row tools">
        <select className="input compact" aria-label="Pod" value={pod} onChange={(event) => setPod(event.target.value)}>
          <option value="">All pods</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {revisions.length > 1 && (
          <select
            className="input compact"
            aria-label="Revision"
            value={revision}
            onChange={(event) => setRevision(Number(event.target.value))}
          >
            <option value={0}>All revisions</option>
            {revisions.map((number) => (
              <option key={number} value={number}>
                Revision {number}
              </option>
            ))}
          </select>
        )}
        <input
          type="search"
          className="input compact"
          placeholder="Search"
          aria-label="Search in the logs"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <p className="small soft numbers push" role="status">
          {shown === lines ? countOf(lines.length) : `${shown.length} of ${countOf(lines.length)}`}
        </p>
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <Scroll
        key={`${pod} ${revision} ${search}`}
        lines={shown}
        search={search}
        showsPod={pod === ''}
        says={lines.length > 0 ? 'No line has this.' : saysOf(connection)}
      />
    </section>
  );
}

function countOf(lines: number): string {
  return `${lines >= maxLines ? `last ${maxLines}` : lines} ${lines === 1 ? 'line' : 'lines'}`;
}

function saysOf(connection: string): string {
  return connection === 'connecting' ? 'Loading …' : 'The pods have written nothing yet. What they write appears here.';
}

/** Those of the configuration, and further replicas that have written something. */
function namesOf(pods: readonly PodOutline[] | undefined, lines: readonly Line[], chosen: string): string[] {
  const written = new Set(lines.map(({ pod }) => pod));
  const configured = (pods ?? []).map(({ name }) => name);
  return [...new Set([...configured, ...written, chosen])].filter(Boolean).sort();
}
