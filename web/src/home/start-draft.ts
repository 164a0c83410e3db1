/** The draft on the start page. A text that an example, a file or another document has replaced can be restored. */

import { earlierDraft, startDraft } from '../stored-texts/names.ts';
import type { StoredText } from '../stored-texts/stored-texts.ts';
import { drop, storedAs, storeText, useStoredText } from '../stored-texts/use-stored-text.ts';
import { firstText } from './examples.ts';

type StartDraft = {
  text: string;
  /** The text that was replaced last. */
  earlier: string | undefined;
  /** The address that it was fetched from, if it came by a link. */
  source: string | undefined;
};

export function useStartDraft(): StartDraft {
  const { text = firstText, source } = useStoredText(startDraft) ?? {};
  const earlier = useStoredText(earlierDraft)?.text;
  return { text, earlier: earlier === text ? undefined : earlier, source };
}

export function writeStart(text: string): void {
  storeText(startDraft, text, sourceOf(storedAs(startDraft)));
}

/** Replaces the text. @returns a function that undoes it. */
export function replaceStart(text: string, source?: string): () => void {
  const previous = [startDraft, earlierDraft].map((name) => ({ name, stored: storedAs(name) }));
  stepAside();
  // Line breaks as in the editor, because positions of problems and fixes refer to them.
  const more = { isUntouched: true, ...(source !== undefined && { source }) } as const;
  storeText(startDraft, text.replaceAll(/\r\n?/g, '\n'), more);
  return () => {
    for (const { name, stored } of previous) {
      if (stored)
        storeText(name, stored.text, { ...sourceOf(stored), ...(stored.isUntouched && { isUntouched: true }) });
      else drop(name);
    }
  };
}

/** Restores the text that was replaced last. An edited current text becomes the replaced one. */
export function restoreEarlier(): void {
  const earlier = storedAs(earlierDraft);
  if (!earlier) return;
  drop(earlierDraft);
  stepAside();
  storeText(startDraft, earlier.text, sourceOf(earlier));
}

function stepAside(): void {
  const present = storedAs(startDraft);
  if (present && !present.isUntouched) storeText(earlierDraft, present.text, sourceOf(present));
}

function sourceOf(stored: StoredText | undefined): Pick<StoredText, 'source'> {
  return stored?.source === undefined ? {} : { source: stored.source };
}
