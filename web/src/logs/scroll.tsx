/** Lines that come: the page stays at their end while the reader is there, and still while somebody reads above it. */
import { type CSSProperties, memo, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Down } from '../parts/icons.tsx';
import { printClock } from '../parts/time.ts';
import { cutAt, inBlocks, type Line, levelOf } from './lines.ts';
import type { Earlier } from './use-logs.ts';

/** So near to the end counts as being there. */
const nearPx = 40;
/** Until a reader who leaves the end is away from it. */
const leavingMs = 400;

type ScrollProps = {
  lines: readonly Line[];
  /** What there is before them; undefined where all that there is is shown. */
  earlier: Earlier | undefined;
  search: string;
  showsPod: boolean;
  wraps: boolean;
  hueOfPod: (pod: string) => number;
  says: string;
};

export function Scroll({ lines, earlier, search, showsPod, wraps, hueOfPod, says }: ScrollProps) {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const leftAt = useRef(0);
  // What was there when the reader left the end: nothing moves below the eyes.
  const [held, setHeld] = useState<readonly Line[]>();
  const before = earlier?.lines;
  const shown = useMemo(() => [...(before ?? []), ...(held ?? lines)], [before, held, lines]);
  const blocks = useMemo(() => inBlocks(shown), [shown]);
  const isFollowing = held === undefined;
  const follow = () => {
    setHeld(undefined);
    earlier?.drop();
  };

  const toEnd = useCallback(() => frame.current?.scrollTo({ top: frame.current.scrollHeight }), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is what it is about
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  }, [lines, isFollowing, toEnd]);
  useLayoutEffect(() => {
    if (!isFollowing) return undefined;
    // Heights are estimates until they have been drawn: the end is where it is after that.
    const observer = new ResizeObserver(toEnd);
    observer.observe(content.current!);
    return () => observer.disconnect();
  }, [isFollowing, toEnd]);

  // What the reader looks at stays where it is when earlier lines come above it.
  const heightBefore = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: earlier lines are what it is about
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current || heightBefore.current === 0) return;
    current.scrollTop += current.scrollHeight - heightBefore.current;
    heightBefore.current = 0;
  }, [before]);
  const loadEarlier = () => {
    heightBefore.current = frame.current!.scrollHeight;
    setHeld((known) => known ?? lines);
    earlier?.load(shown);
  };

  // New lines may come faster than the page tells where it has been scrolled to: what counts is what the reader does.
  const hold = () => {
    const { scrollHeight, clientHeight } = frame.current!;
    if (scrollHeight <= clientHeight) return;
    leftAt.current = performance.now();
    setHeld((before) => before ?? lines);
  };
  const look = () => {
    const { scrollHeight, scrollTop, clientHeight } = frame.current!;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx;
    const isAway = performance.now() - leftAt.current > leavingMs;
    if (held && isAtEnd && isAway && scrollHeight > clientHeight) follow();
  };
  const more = (lines.at(-1)?.number ?? 0) - (held?.at(-1)?.number ?? 0);
  return (
    <div className="scroll-frame">
      <div
        className={`lines${showsPod ? ' with-pods' : ''}${wraps ? '' : ' no-wrap'}`}
        ref={frame}
        onScroll={look}
        onWheel={({ deltaY }) => deltaY < 0 && hold()}
        onTouchMove={hold}
        onKeyDown={({ key }) => /^(?:ArrowUp|PageUp|Home)$/.test(key) && hold()}
        // The bar at its side.
        onPointerDown={({ target }) => target === frame.current && hold()}
        role="log"
        aria-live="off"
        aria-label="Lines"
        tabIndex={0}
      >
        <div ref={content}>
          {shown.length === 0 && <p className="soft">{says}</p>}
          {shown.length > 0 && earlier && <EarlierRow state={earlier.state} onLoad={loadEarlier} />}
          {blocks.map(({ key, lines: ofBlock }) => (
            <Block key={key} lines={ofBlock} search={search} hueOfPod={hueOfPod} />
          ))}
        </div>
      </div>
      {!isFollowing && (
        <button type="button" className="button compact to-end" onClick={follow}>
          <Down /> Follow {more > 0 && <span className="soft numbers">{more} new</span>}
        </button>
      )}
    </div>
  );
}

function EarlierRow({ state, onLoad }: { state: Earlier['state']; onLoad: () => void }) {
  if (state === 'at-start') return <p className="soft earlier">No earlier lines are kept.</p>;
  return (
    <p className="earlier">
      <button type="button" className="button compact" disabled={state === 'loading'} onClick={onLoad}>
        {state === 'loading' ? 'Loading …' : 'Load earlier lines'}
      </button>
    </p>
  );
}

type BlockProps = { lines: readonly Line[]; search: string; hueOfPod: (pod: string) => number };

const Block = memo(
  function Block({ lines, search, hueOfPod }: BlockProps) {
    return (
      <div className="block">
        {lines.map(({ number, at, pod, text }) => (
          <p key={number} className={levelOf(text)}>
            <time dateTime={at} title={at}>
              {printClock(at)}
            </time>
            <b style={{ '--hue': hueOfPod(pod) } as CSSProperties}>{pod}</b>
            <span>{search === '' ? text : marked(text, search)}</span>
          </p>
        ))}
      </div>
    );
  },
  (before, after) =>
    before.search === after.search &&
    before.hueOfPod === after.hueOfPod &&
    before.lines.length === after.lines.length &&
    before.lines[0]?.number === after.lines[0]?.number &&
    before.lines.at(-1)?.number === after.lines.at(-1)?.number,
);

function marked(text: string, search: string) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have nothing else
  return cutAt(text, search).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
