/** All keys of the dashboard. */
import { Dialog } from '../parts/dialog.tsx';
import { modifierKey } from './modifier-key.ts';
import './key-list.css';

const keys: readonly [keys: string, what: string][] = [
  [`${modifierKey} K`, 'search pages, deployments, templates and commands'],
  ['/', 'search on this page'],
  ['?', 'this list'],
  [`${modifierKey} Enter`, 'deploy, or review the update'],
  [`${modifierKey} Space`, 'possible values'],
  [`${modifierKey} F`, 'find and replace in the text'],
  ['F8', 'the next problem'],
  ['Escape, then Tab', 'leave the editor'],
];

export default function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Keys"
      onClose={onClose}
      actions={
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <dl className="key-list">
        {keys.map(([each, what]) => (
          <div key={each}>
            <dt>
              <kbd>{each}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
