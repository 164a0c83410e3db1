/**
 * Lines that arrive. The page follows them while the reader is at the end, and does not move while the reader is above.
 */
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Down } from '../parts/icons.tsx';
import { Block, useNearness } from './block.tsx';
import { inBlocks, type Line } from './lines.ts';
import type { Earlier } from './use-logs.ts';

/** A distance below this counts as the end. */
const nearPx = 40;
/** The time until a reader who scrolls up is away from the end. */
const leavingMs = 400;

type ScrollProps = {
  lines: readonly Line[];
  /** The earlier lines. Undefined if all lines are shown. */
  earlier: Earlier | undefined;
  search: string;
  showsPod: boolean;
  wraps: boolean;
  hueOfPod: (pod: string) => number;
  says: string;
  /** Receives the shown lines, including earlier ones. */
  onPage: RefObject<readonly Line[]>;
};

export function Scroll({ lines, earlier, search, showsPod, wraps, hueOfPod, says, onPage }: ScrollProps) {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const leftAt = useRef(0);
  // The lines when the reader left the end, so that nothing moves while reading.
  const [held, setHeld] = useState<readonly Line[]>();
  const before = earlier?.lines;
  const present = held ?? lines;
  const shown = useMemo(() => [...(before ?? []), ...present], [before, present]);
  useLayoutEffect(() => {
    onPage.current = shown;
  }, [onPage, shown]);
  const blocks = useMemo(() => inBlocks(shown), [shown]);
  const watch = useNearness(frame);
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

  // The visible lines keep their place when earlier lines are added above.
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

  // New lines may arrive faster than the page reports its scroll position, so only the reader's own actions count.
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
          {blocks.map(({ key, lines: ofBlock }, index) => (
            <Block
              key={key}
              lines={ofBlock}
              isFirstSeen={index >= blocks.length - 3}
              search={search}
              hueOfPod={hueOfPod}
              watch={watch}
            />
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
  if (state === 'full') return <p className="soft earlier">A page shows no more. A search finds earlier lines.</p>;
  if (state === 'at-start') return <p className="soft earlier">No earlier lines are kept.</p>;
  return (
    <p className="earlier">
      <button type="button" className="button compact" disabled={state === 'loading'} onClick={onLoad}>
        {state === 'loading' ? 'Loading …' : 'Load earlier lines'}
      </button>
    </p>
  );
}
