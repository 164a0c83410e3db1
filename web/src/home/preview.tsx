/** A preview of the configuration: its picture, its address, and the button that deploys it. */
import type { PodPlace } from '../../../src/config/document/pod-places.ts';
import type { CheckedText } from '../checker/use-checked.ts';
import { useLastOutline } from '../checker/use-last-outline.ts';
import { modifierKey } from '../palette/modifier-key.ts';
import { WrittenPicture } from '../picture/written-picture.tsx';

/** Address of the terms of use; empty without terms. */
const terms = document.querySelector<HTMLMetaElement>('meta[name="terms"]')?.content ?? '';

type DeployProps = { checked: CheckedText | undefined; isDeploying: boolean; onDeploy: () => void };

/** For an invalid configuration, the button leads to the first error. */
export function DeployButton({ checked, isDeploying, onDeploy }: DeployProps) {
  return (
    <button type="button" className="button primary deploy" onClick={onDeploy} aria-disabled={isDeploying}>
      {isDeploying ? 'Sending …' : checked && !checked.isValid ? 'Go to the problem' : 'Deploy'}
    </button>
  );
}

type PreviewProps = DeployProps & {
  /** The line of the cursor, from 1. */
  line: number | undefined;
  onJump: (place: PodPlace) => void;
};

export function Preview({ checked, isDeploying, onDeploy, line, onJump }: PreviewProps) {
  const { name = '…' } = useLastOutline(checked) ?? {};
  // If the text has an error, `name` is the last name that was read, which may belong to another text.
  const isOfText = checked?.outline !== undefined || checked?.text.includes(name);
  return (
    <section className="panel preview" aria-label="Resulting application">
      <WrittenPicture checked={checked} line={line} onJump={onJump} />
      <div className="summary">
        <p className="address">
          {`${location.protocol}//`}
          <em>two-words</em>-{isOfText ? name : '…'}.<em>{location.host}</em>
        </p>
        <DeployButton checked={checked} isDeploying={isDeploying} onDeploy={onDeploy} />
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
