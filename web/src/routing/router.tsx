/** Stores the state of the router in the address bar. */
import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react';
import { type Route, readRoute } from './routes.ts';

const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};
window.addEventListener('popstate', notify);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useRoute(): Route {
  return readRoute(useSyncExternalStore(subscribe, () => location.pathname));
}

/** The query of the address, with its question mark. */
export function useQuery(): string {
  return useSyncExternalStore(subscribe, () => location.search);
}

/** Shows another page. `replace`: the current one is removed from the history. */
export function go(path: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  notify();
}

type LinkProps = {
  to: string;
  className?: string | undefined;
  children: ReactNode;
  'aria-current'?: 'page' | undefined;
  'aria-label'?: string | undefined;
  /** Keeps the scroll position, for a page that shows the same content in another way. */
  keepScroll?: boolean;
};

/** A real link for the browser, which users can open in another tab, copy, and hear with a screen reader. */
export function Link({ to, children, keepScroll = false, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
    if (!keepScroll) window.scrollTo(0, 0);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
