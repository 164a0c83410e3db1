/** The picture of the draft, next to the editor: a pod leads to its lines, and the cursor marks its pod. */
import { lazy, Suspense } from 'react';
import type { PodPlace } from '../../../src/config/document/pod-places.ts';
import type { CheckedText } from '../checker/use-checked.ts';
import { useLastOutline } from '../checker/use-last-outline.ts';
import './written-picture.css';

const Picture = lazy(() => import('./picture.tsx').then(({ Picture }) => ({ default: Picture })));

type WrittenPictureProps = {
  checked: CheckedText | undefined;
  /** The line of the cursor, from 1. */
  line: number | undefined;
  onJump: (place: PodPlace) => void;
};

export function WrittenPicture({ checked, line, onJump }: WrittenPictureProps) {
  const outline = useLastOutline(checked);
  const isStale = outline !== undefined && checked !== undefined && !checked.outline;
  const marked = outline?.places.find(({ firstLine, lastLine }) => isWithin(line, firstLine, lastLine))?.name;
  const jump = (pod: string) => {
    const place = outline?.places.find(({ name }) => name === pod);
    if (place) onJump(place);
  };
  return (
    <div className={isStale ? 'picture-place stale' : 'picture-place'}>
      <Suspense>{outline && <Picture pods={outline.pods} hasFixedHeight marked={marked} onPod={jump} />}</Suspense>
      {isStale && <p className="stale-label">As the text was before its last problem</p>}
    </div>
  );
}

function isWithin(line: number | undefined, first: number, last: number): boolean {
  return line !== undefined && first <= line && line <= last;
}
