/** The logs: of all pods or one, followed, searched. */
import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { PodOutline } from '../../../src/config/outline.ts';
import { Down } from '../parts/icons.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { printClock } from '../parts/time.ts';
import type { Target } from '../service/calls.ts';
import { cutAt, inBlocks, type Line, matching, mostLines } from './lines.ts';
import { useLogs } from './use-logs.ts';
import './logs.css';

/** So near to the end counts as being there. */
const nearPx = 40;

export default function LogsTab({ target, pods }: { target: Target; pods: readonly PodOutline[] | undefined }) {
  const { lines, connection, problem } = useLogs(target);
  const [pod, setPod] = useState(() => new URLSearchParams(location.search).get('pod') ?? '');
  const [search, setSearch] = useState('');
  const shown = useMemo(() => matching(lines, { pod, search }), [lines, pod, search]);
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
        <input
          type="search"
          className="input compact"
          placeholder="Search"
          aria-label="Search in the logs"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <p className="small soft numbers push" role="status">
          {search === '' && pod === '' ? countOf(lines.length) : `${shown.length} of ${countOf(lines.length)}`}
        </p>
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <Scroll
        lines={shown}
        search={search}
        showsPod={pod === ''}
        says={lines.length > 0 ? 'No line has this.' : saysOf(connection)}
      />
    </section>
  );
}

function countOf(lines: number): string {
  return `${lines >= mostLines ? `last ${mostLines}` : lines} ${lines === 1 ? 'line' : 'lines'}`;
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

type ScrollProps = { lines: readonly Line[]; search: string; showsPod: boolean; says: string };

/** Stays at the end while the reader is there, and where the reader is otherwise. */
function Scroll({ lines, search, showsPod, says }: ScrollProps) {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const [isFollowing, setIsFollowing] = useState(true);
  const blocks = useMemo(() => inBlocks(lines), [lines]);

  useLayoutEffect(() => {
    if (!isFollowing) return undefined;
    // Its height is an estimate until it has been drawn: the end is where it is after that.
    const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight });
    const observer = new ResizeObserver(toEnd);
    observer.observe(content.current!);
    return () => observer.disconnect();
  }, [isFollowing]);

  const look = () => {
    const { scrollHeight, scrollTop, clientHeight } = frame.current!;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx;
    const hasGoneBack = scrollTop < lastTop.current;
    lastTop.current = scrollTop;
    if (isAtEnd) setIsFollowing(true);
    else if (hasGoneBack) setIsFollowing(false);
  };
  return (
    <div className="scroll-frame">
      <div
        className={showsPod ? 'lines with-pods' : 'lines'}
        ref={frame}
        onScroll={look}
        role="log"
        aria-live="off"
        aria-label="Lines"
        tabIndex={0}
      >
        <div ref={content}>
          {lines.length === 0 && <p className="soft">{says}</p>}
          {blocks.map(({ key, lines: ofBlock }) => (
            <Block key={key} lines={ofBlock} search={search} />
          ))}
        </div>
      </div>
      {!isFollowing && (
        <button type="button" className="button compact to-end" onClick={() => setIsFollowing(true)}>
          <Down /> Follow
        </button>
      )}
    </div>
  );
}

type BlockProps = { lines: readonly Line[]; search: string };

const Block = memo(
  function Block({ lines, search }: BlockProps) {
    return (
      <div className="block">
        {lines.map(({ number, at, pod, text }) => (
          <p key={number}>
            <time dateTime={at}>{printClock(at)}</time>
            <b style={{ color: `var(--pod-${hueOf(pod)})` }}>{pod}</b>
            <span>{search === '' ? text : marked(text, search)}</span>
          </p>
        ))}
      </div>
    );
  },
  (before, after) =>
    before.search === after.search &&
    before.lines.length === after.lines.length &&
    before.lines[0]?.number === after.lines[0]?.number &&
    before.lines.at(-1)?.number === after.lines.at(-1)?.number,
);

function marked(text: string, search: string) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have nothing else
  return cutAt(text, search).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

/** One of six colours, the same for the same name. */
function hueOf(pod: string): number {
  return Array.from(pod).reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 997, 7) % 6;
}
