/** Opens the dialog for sharing an application, which is loaded on demand. */
import { lazy, Suspense, useState } from 'react';
import type { Target } from '../service/calls.ts';

const ShareDialog = lazy(() => import('./share-dialog.tsx'));

export function ShareButton({ target, url }: { target: Target; url: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setIsOpen(true)}>
        Share
      </button>
      {isOpen && (
        <Suspense>
          <ShareDialog target={target} url={url} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
