/** Zooms a picture and pans it in its frame. */
import { type PointerEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

const step = 1.25;
const largest = 2;

export type Zoom = {
  scale: number;
  larger: () => void;
  smaller: () => void;
  /** The whole picture; undefined where it is shown so. */
  whole: (() => void) | undefined;
  /** Resets the zoom. Undefined if it is not changed. */
  usual: (() => void) | undefined;
  onPointerDown: (event: PointerEvent) => void;
};

/** `usual`: the initial scale; `whole`: the scale at which the whole picture is visible. */
export function useZoom(frame: RefObject<HTMLElement | null>, scales: { usual: number; whole: number }): Zoom {
  const { usual, whole } = scales;
  const [chosen, setChosen] = useState<number>();
  const scale = chosen ?? usual;
  /** The point of the frame that stays in place while the picture is zoomed. */
  const fixed = useRef<{ x: number; y: number; before: number }>(null);
  const least = Math.min(whole, usual);

  const change = useCallback(
    (to: number, at?: { x: number; y: number }) => {
      const element = frame.current!;
      const { x, y } = at ?? { x: element.clientWidth / 2, y: element.clientHeight / 2 };
      fixed.current = { x, y, before: scale };
      setChosen(Math.min(largest, Math.max(least, to)));
    },
    [frame, scale, least],
  );

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || !fixed.current) return;
    const { x, y, before } = fixed.current;
    fixed.current = null;
    element.scrollLeft = ((element.scrollLeft + x) * scale) / before - x;
    element.scrollTop = ((element.scrollTop + y) * scale) / before - y;
  }, [frame, scale]);

  useEffect(() => {
    const element = frame.current!;
    // A pinch on a touchpad is also sent as Ctrl with the wheel. React's listeners are passive and cannot prevent the
    // default.
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const by = Math.exp(-event.deltaY / 300);
      change(scale * by, { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [frame, change, scale]);

  return {
    scale,
    larger: () => change(scale * step),
    smaller: () => change(scale / step),
    whole: isClose(scale, whole) ? undefined : () => change(whole),
    usual: isClose(scale, usual) ? undefined : () => change(usual),
    onPointerDown: (event) => drag(event, frame.current!),
  };
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.005;
}

/** Dragging with the mouse, except on pods. Touch scrolls without it. */
function drag(event: PointerEvent, element: HTMLElement): void {
  const isOnPod = (event.target as Element).closest('a, button') !== null;
  const isMovable = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
  if (event.pointerType !== 'mouse' || event.button !== 0 || isOnPod || !isMovable) return;
  event.preventDefault();
  const moving = new AbortController();
  const { signal } = moving;
  let [x, y] = [event.clientX, event.clientY];
  element.classList.add('moving');
  const end = () => {
    element.classList.remove('moving');
    moving.abort();
  };
  const move = (next: globalThis.PointerEvent) => {
    element.scrollLeft += x - next.clientX;
    element.scrollTop += y - next.clientY;
    [x, y] = [next.clientX, next.clientY];
  };
  window.addEventListener('pointermove', move, { signal });
  for (const name of ['pointerup', 'pointercancel', 'blur']) window.addEventListener(name, end, { signal });
}
