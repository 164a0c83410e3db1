/** Lines that come: the page stays at their end while the reader is there, and still while somebody reads above it. */
import { memo, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Down } from '../parts/icons.tsx';
import { printClock } from '../parts/time.ts';
import { cutAt, inBlocks, type Line } from './lines.ts';

/** So near to the end counts as being there. */
const nearPx = 40;
/** Until a reader who leaves the end is away from it. */
const leavingMs = 400;

type ScrollProps = { lines: readonly Line[]; search: string; showsPod: boolean; says: string };

export function Scroll({ lines, search, showsPod, says }: ScrollProps) {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const leftAt = useRef(0);
  // What was there when the reader left the end: nothing moves below the eyes.
  const [held, setHeld] = useState<readonly Line[]>();
  const shown = held ?? lines;
  const blocks = useMemo(() => inBlocks(shown), [shown]);
  const isFollowing = held === undefined;

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
    if (isAtEnd && performance.now() - leftAt.current > leavingMs) setHeld(undefined);
  };
  const more = (lines.at(-1)?.number ?? 0) - (held?.at(-1)?.number ?? 0);
  return (
    <div className="scroll-frame">
      <div
        className={showsPod ? 'lines with-pods' : 'lines'}
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
          {blocks.map(({ key, lines: ofBlock }) => (
            <Block key={key} lines={ofBlock} search={search} />
          ))}
        </div>
      </div>
      {!isFollowing && (
        <button type="button" className="button compact to-end" onClick={() => setHeld(undefined)}>
          <Down /> Follow {more > 0 && <span className="soft numbers">{more} new</span>}
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
