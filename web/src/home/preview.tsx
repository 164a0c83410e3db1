/** What the configuration makes: its picture, its address, and the button that makes it. */
import { lazy, Suspense, useEffect, useState } from 'react';
import type { CheckedText } from '../checker/use-checked.ts';

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

export function Preview({ checked, isDeploying, onDeploy }: DeployProps) {
  const outline = useLastOutline(checked);
  return (
    <section className="panel preview" aria-label="What it makes">
      <div className={checked?.outline ? 'picture-place' : 'picture-place stale'}>
        <Suspense>{outline && <Picture pods={outline.pods} hasFixedHeight />}</Suspense>
      </div>
      <div className="summary">
        <p className="address">
          {`${location.protocol}//`}
          <em>two-words</em>-{outline?.name ?? '…'}.<em>{location.host}</em>
        </p>
        <DeployButton {...{ checked, isDeploying, onDeploy }} />
        <p className="small soft">
          <span className="keys">
            <kbd>{navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'}</kbd> <kbd>Enter</kbd> deploys too.{' '}
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

/** Of the last valid text: the picture does not go away with every slip. */
function useLastOutline(checked: CheckedText | undefined): CheckedText['outline'] {
  const [last, setLast] = useState(checked?.outline);
  useEffect(() => {
    if (checked?.outline) setLast(checked.outline);
  }, [checked]);
  return checked?.outline ?? last;
}
