/** What the configuration makes: its picture, its address, and the button that makes it. */
import { lazy, Suspense, useEffect, useState } from 'react';
import type { PodPlace } from '../../../src/config/document/pod-places.ts';
import type { CheckedText } from '../checker/use-checked.ts';
import { modifierKey } from '../palette/modifier-key.ts';

const Picture = lazy(() => import('../picture/picture.tsx').then(({ Picture }) => ({ default: Picture })));

/** Address of the terms of use; empty where there are none. */
const terms = document.querySelector<HTMLMetaElement>('meta[name="terms"]')?.content ?? '';

type DeployProps = { checked: CheckedText | undefined; isDeploying: boolean; onDeploy: () => void };

/** Of an invalid configuration it leads to what has to be corrected. */
export function DeployButton({ checked, isDeploying, onDeploy }: DeployProps) {
  return (
    <button type="button" className="button primary deploy" onClick={onDeploy} aria-disabled={isDeploying}>
      {isDeploying ? 'Sending …' : checked && !checked.isValid ? 'Go to the problem' : 'Deploy'}
    </button>
  );
}

type PreviewProps = DeployProps & {
  /** The line, from 1, at which somebody writes. */
  line: number | undefined;
  onJump: (place: PodPlace) => void;
};

export function Preview({ checked, isDeploying, onDeploy, line, onJump }: PreviewProps) {
  const outline = useLastOutline(checked);
  const isStale = outline !== undefined && checked !== undefined && !checked.outline;
  const marked = outline?.places.find(({ firstLine, lastLine }) => isWithin(line, firstLine, lastLine))?.name;
  const jump = (pod: string) => {
    const place = outline?.places.find(({ name }) => name === pod);
    if (place) onJump(place);
  };
  return (
    <section className="panel preview" aria-label="What it makes">
      <div className={isStale ? 'picture-place stale' : 'picture-place'}>
        <Suspense>{outline && <Picture pods={outline.pods} hasFixedHeight marked={marked} onPod={jump} />}</Suspense>
        {isStale && <p className="stale-label">As the text was before its last problem</p>}
      </div>
      <div className="summary">
        <p className="address">
          {`${location.protocol}//`}
          <em>two-words</em>-{outline?.name ?? '…'}.<em>{location.host}</em>
        </p>
        <DeployButton {...{ checked, isDeploying, onDeploy }} />
        <p className="small soft">
          <span className="keys">
            <kbd>{modifierKey}</kbd> <kbd>Enter</kbd> deploys too.{' '}
          </span>
          The deployment is free and expires; you can extend it, or claim it to keep it.
          {terms !== '' && (
            <>
              {' '}
              Its use is subject to the <a href={terms}>terms</a>.
            </>
          )}
        </p>
      </div>
    </section>
  );
}

function isWithin(line: number | undefined, first: number, last: number): boolean {
  return line !== undefined && first <= line && line <= last;
}

/** Of the last valid text: the picture does not go away with every slip. */
function useLastOutline(checked: CheckedText | undefined): CheckedText['outline'] {
  const [last, setLast] = useState(checked?.outline);
  useEffect(() => {
    if (checked?.outline) setLast(checked.outline);
  }, [checked]);
  return checked?.outline ?? last;
}
