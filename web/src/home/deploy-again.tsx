/** Starts a new deployment from the configuration that this browser has stored; renders nothing without one. */

import { showToast } from '../parts/toast.tsx';
import { go } from '../routing/router.tsx';
import { documentOf } from '../stored-texts/names.ts';
import { storedAs, useStoredText } from '../stored-texts/use-stored-text.ts';
import { replaceStart } from './start-draft.ts';

type Place = { environment: string; applicationName: string };

export function DeployAgain({ place, className = 'button' }: { place: Place; className?: string }) {
  const kept = useStoredText(documentOf(place));
  if (!kept) return null;
  return (
    <button type="button" className={className} onClick={() => deployAgain(place)}>
      Deploy again
    </button>
  );
}

/** Undefined where its configuration is not known here. */
export function deployAgainAction(place: Place): { title: string; act: () => void } | undefined {
  return storedAs(documentOf(place)) && { title: 'Deploy again', act: () => deployAgain(place) };
}

function deployAgain(place: Place): void {
  const kept = storedAs(documentOf(place));
  if (!kept) return;
  const undo = replaceStart(kept.text);
  go('/');
  window.scrollTo(0, 0);
  showToast(`The configuration of ${place.applicationName} is in the editor.`, { title: 'Undo', act: undo });
}
