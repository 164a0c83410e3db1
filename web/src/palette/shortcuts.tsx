/** Keys that work on every page: the palette, the list of all keys, and the search of the page. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Boundary } from '../parts/boundary.tsx';
import { modifierKey } from './modifier-key.ts';

const Palette = lazy(() => import('./palette.tsx'));
const KeyList = lazy(() => import('./key-list.tsx'));

type Shown = 'palette' | 'keys' | undefined;

export function Shortcuts() {
  const [shown, setShown] = useState<Shown>();
  const close = useCallback(() => setShown(undefined), []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const wanted = wantedBy(event);
      if (!wanted) return;
      event.preventDefault();
      const search = wanted === 'search' ? document.querySelector<HTMLInputElement>('main [data-search]') : null;
      if (search) search.select();
      setShown(search ? undefined : wanted === 'keys' ? 'keys' : 'palette');
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button type="button" className="button quiet compact palette-button" onClick={() => setShown('palette')}>
        Search <kbd>{modifierKey} K</kbd>
      </button>
      {shown && (
        <Boundary>
          <Suspense>
            {shown === 'palette' ? (
              <Palette onClose={close} onKeys={() => setShown('keys')} />
            ) : (
              <KeyList onClose={close} />
            )}
          </Suspense>
        </Boundary>
      )}
    </>
  );
}

/** Single letters are ignored while the user types. A dialog has its own keys. */
function wantedBy(event: KeyboardEvent): 'palette' | 'keys' | 'search' | undefined {
  if (event.defaultPrevented || document.querySelector('dialog[open]')) return undefined;
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey) return 'palette';
  const isWriting = target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]');
  if (isWriting || ctrlKey || metaKey || altKey) return undefined;
  return key === '?' ? 'keys' : key === '/' ? 'search' : undefined;
}
