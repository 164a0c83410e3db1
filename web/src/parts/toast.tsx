/** Short messages about completed actions. */
import { useSyncExternalStore } from 'react';

const shownMs = 5_000;
/** Enough time to read it and to decide. */
const shownWithActionMs = 12_000;

type Action = { title: string; act: () => void };

let shown: readonly { number: number; text: string; action: Action | undefined }[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** `action`: an action for the message, such as undo. */
export function showToast(text: string, action?: Action): void {
  const number = ++last;
  show([...shown, { number, text, action }].slice(-3));
  setTimeout(() => close(number), action ? shownWithActionMs : shownMs);
}

function close(number: number): void {
  show(shown.filter((toast) => toast.number !== number));
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
      {toasts.map(({ number, text, action }) => (
        <p key={number} className="toast">
          {text}
          {action && (
            <button
              type="button"
              onClick={() => {
                close(number);
                action.act();
              }}
            >
              {action.title}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
