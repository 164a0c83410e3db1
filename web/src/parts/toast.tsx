/** Short messages about what has just been done. */
import { useSyncExternalStore } from 'react';

const shownMs = 5_000;

let shown: readonly { number: number; text: string }[] = [];
let last = 0;
const listeners = new Set<() => void>();

export function tellUser(text: string): void {
  const number = ++last;
  show([...shown, { number, text }].slice(-3));
  setTimeout(() => show(shown.filter((toast) => toast.number !== number)), shownMs);
}

function show(toasts: typeof shown): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

/** Once on the page. */
export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div className="toasts" role="status">
      {toasts.map(({ number, text }) => (
        <p key={number} className="toast">
          {text}
        </p>
      ))}
    </div>
  );
}
