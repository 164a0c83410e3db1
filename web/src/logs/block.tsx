/** A few lines, which are in the page while they are near to what is seen of it: a long log has fifty thousand. */
import { type CSSProperties, memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { printClock } from '../parts/time.ts';
import { cutAt, type Line, levelOf } from './lines.ts';

/** Readers who scroll on see no empty space. */
const nearPx = 600;

/** Notifies when an element comes near the visible area, or leaves it. @returns a function that stops this. */
export type Nearness = (box: HTMLElement, notify: (isNear: boolean, heightPx: number) => void) => () => void;

/** `frame`: what scrolls. */
export function useNearness(frame: RefObject<HTMLElement | null>): Nearness {
  return useMemo(() => {
    const reported = new Map<Element, Parameters<Nearness>[1]>();
    let observer: IntersectionObserver | undefined;
    const look = (entries: IntersectionObserverEntry[]) => {
      for (const { target, isIntersecting, boundingClientRect } of entries)
        reported.get(target)?.(isIntersecting, boundingClientRect.height);
    };
    return (box, notify) => {
      observer ??= new IntersectionObserver(look, { root: frame.current, rootMargin: `${nearPx}px 0px` });
      reported.set(box, notify);
      observer.observe(box);
      return () => {
        reported.delete(box);
        observer?.unobserve(box);
      };
    };
  }, [frame]);
}

type BlockProps = {
  lines: readonly Line[];
  search: string;
  hueOfPod: (pod: string) => number;
  watch: Nearness;
  /** Rendered at once, because it is the first visible block. */
  isFirstSeen: boolean;
};

export const Block = memo(
  function Block({ lines, search, hueOfPod, watch, isFirstSeen }: BlockProps) {
    const box = useRef<HTMLDivElement>(null);
    const [isNear, setNear] = useState(isFirstSeen);
    const measured = useRef({ count: 0, heightPx: 0 });
    // Not a layout effect, because those run before the scroll container is known.
    useEffect(
      () =>
        watch(box.current!, (isNear, heightPx) => {
          // Lines that the user has selected to copy stay.
          if (!isNear && getSelection()?.type === 'Range') return;
          const count = box.current?.childElementCount ?? 0;
          if (!isNear && count > 0) measured.current = { count, heightPx };
          setNear(isNear);
        }),
      [watch],
    );
    if (!isNear) {
      const { count, heightPx } = measured.current;
      const style = count === lines.length ? { height: heightPx } : ({ '--lines': lines.length } as CSSProperties);
      return <div className="block" ref={box} style={style} />;
    }
    return (
      <div className="block" ref={box}>
        {lines.map(({ number, at, pod, stream, text }) => (
          <p key={number} className={levelOf(text)} data-stream={stream}>
            <time dateTime={at} title={stream ? `${at} ${stream}` : at}>
              {printClock(at)}
            </time>
            <b style={{ '--hue': hueOfPod(pod) } as CSSProperties}>{pod}</b>
            {stream === 'stderr' && <i className="spoken">stderr</i>}
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
