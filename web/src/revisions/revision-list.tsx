/** The revisions, latest first: who requested each, its result, and its changes. */

import { capitalised } from '../parts/capitalised.ts';
import { useNow } from '../parts/now.ts';
import { printAgo, printMoment } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import { go } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import { configurationOf, type Target } from '../service/calls.ts';
import type { Revision } from '../service/records.ts';
import { draftOf } from '../stored-texts/names.ts';
import { drop, storedAs, storeText } from '../stored-texts/use-stored-text.ts';
import { authMethodTexts, badgeOf, changesOf, earlierThan, outcomeOf, type Pair } from './texts.ts';

type RevisionListProps = {
  revisions: readonly Revision[];
  target: Target;
  /** The pair that is compared below. */
  pair: Pair | undefined;
  onCompare: (to: number) => void;
  onBack: (number: number) => void;
};

export function RevisionList({ revisions, target, pair, onCompare, onBack }: RevisionListProps) {
  const now = useNow(30_000);
  return (
    <ol className="panel revisions" aria-label="Revisions">
      {revisions.map((revision) => {
        const { number, createdAt, isCurrent } = revision;
        const { word, tone } = badgeOf(revision);
        const at = Date.parse(createdAt);
        const before = earlierThan(revisions, number);
        const isCompared = pair?.to === number && pair.from === before;
        return (
          <li key={number}>
            <span className={`badge ${tone}`}>{word}</span>
            <div className="told">
              <h3>Revision {number}</h3>
              <p className="small">{changesOf(revision)}</p>
              {revision.commit && (
                <p className="small">
                  <code>{revision.commit.hash.slice(0, 12)}</code> {revision.commit.subject} ({revision.commit.author})
                </p>
              )}
              <p className="small soft">
                <time dateTime={createdAt} title={printMoment(at, now)}>
                  {capitalised(printAgo(now - at))}
                </time>
                {[authMethodTexts[revision.askedBy], outcomeOf(revision)]
                  .filter((said) => said !== undefined)
                  .map((said) => ` · ${said}`)}
              </p>
            </div>
            <div className="row actions">
              {before !== undefined && (
                <button
                  type="button"
                  className="button compact"
                  aria-pressed={isCompared}
                  aria-label={`Compare revision ${number} with revision ${before}`}
                  onClick={() => onCompare(number)}
                >
                  Compare
                </button>
              )}
              <button
                type="button"
                className="button compact"
                aria-label={`Edit the text of revision ${number}`}
                onClick={() => void edit(target, revision)}
              >
                Edit
              </button>
              {!isCurrent && (
                <button
                  type="button"
                  className="button compact"
                  aria-label={`Go back to revision ${number}`}
                  onClick={() => onBack(number)}
                >
                  Go back …
                </button>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** The text of the revision becomes the draft. The previous draft can be restored. */
async function edit(target: Target, { number, isCurrent }: Revision): Promise<void> {
  const name = draftOf(target);
  const before = storedAs(name);
  if (isCurrent) {
    go(pathOf({ page: 'deployment', ...target, tab: 'configuration' }));
    return;
  }
  const answer = await configurationOf(target, number);
  if (!answer.ok) return showToast(`${answer.problem.error} ${answer.problem.hint ?? ''}`);
  storeText(name, answer.value.yaml.replaceAll(/\r\n?/g, '\n'));
  go(pathOf({ page: 'deployment', ...target, tab: 'configuration' }));
  showToast(`The text of revision ${number} is in the editor.`, {
    title: 'Undo',
    act: () => (before ? storeText(name, before.text, before) : drop(name)),
  });
}
