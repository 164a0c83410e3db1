/** The resizable height of a list, stored in this browser. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react';

const key = 'berth.problems-height';
/** In pixels. */
const bounds = { least: 64, most: 640, usual: 176, step: 24 };

export function useHeight(): { height: number; edge: ReturnType<typeof edgeOf> } {
  const [height, setHeight] = useState(storedHeight);
  const change = (to: number) => {
    const bounded = Math.round(Math.min(bounds.most, Math.max(bounds.least, to)));
    setHeight(bounded);
    storeHeight(bounded);
  };
  return { height, edge: edgeOf(height, change) };
}

/** Props that make an element the edge: users drag it, or move it with the arrow keys. */
function edgeOf(height: number, change: (to: number) => void) {
  return {
    role: 'separator',
    tabIndex: 0,
    'aria-label': 'Height of the list',
    'aria-orientation': 'horizontal',
    'aria-valuenow': height,
    'aria-valuemin': bounds.least,
    'aria-valuemax': bounds.most,
    onKeyDown(event: KeyboardEvent) {
      const by = { ArrowUp: bounds.step, ArrowDown: -bounds.step }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      change(height + by);
    },
    onPointerDown(event: PointerEvent<HTMLElement>) {
      event.preventDefault();
      const edge = event.currentTarget;
      const begun = event.clientY;
      const moving = new AbortController();
      const { signal } = moving;
      edge.setPointerCapture(event.pointerId);
      const move = (next: globalThis.PointerEvent) => change(height + begun - next.clientY);
      edge.addEventListener('pointermove', move, { signal });
      edge.addEventListener('pointerup', () => moving.abort(), { signal });
      edge.addEventListener('pointercancel', () => moving.abort(), { signal });
    },
  } as const;
}

function storedHeight(): number {
  try {
    const stored = Number(localStorage.getItem(key));
    return stored >= bounds.least && stored <= bounds.most ? stored : bounds.usual;
  } catch {
    return bounds.usual;
  }
}

function storeHeight(height: number): void {
  try {
    localStorage.setItem(key, String(height));
  } catch {
    // Without storage, the height applies to this page only.
  }
}
