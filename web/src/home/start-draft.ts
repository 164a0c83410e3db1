/** The draft on the start page. A text that an example, a file or another document has replaced can be restored. */
import type { KeptText } from '../kept/kept-texts.ts';
import { earlierDraft, startDraft } from '../kept/names.ts';
import { drop, keep, keptAs, useKept } from '../kept/use-kept.ts';
import { firstText } from './examples.ts';

type StartDraft = {
  text: string;
  /** The text that was replaced last. */
  earlier: string | undefined;
  /** The address that it was fetched from, if it came by a link. */
  source: string | undefined;
};

export function useStartDraft(): StartDraft {
  const { text = firstText, source } = useKept(startDraft) ?? {};
  const earlier = useKept(earlierDraft)?.text;
  return { text, earlier: earlier === text ? undefined : earlier, source };
}

export function writeStart(text: string): void {
  keep(startDraft, text, sourceOf(keptAs(startDraft)));
}

/**
 * Puts another text in its place.
 * @returns what undoes that.
 */
export function replaceStart(text: string, source?: string): () => void {
  const before = [startDraft, earlierDraft].map((name) => ({ name, kept: keptAs(name) }));
  stepAside();
  // As the editor counts lines; positions of problems and fixes are counted in the same text.
  const more = { isUntouched: true, ...(source !== undefined && { source }) } as const;
  keep(startDraft, text.replaceAll(/\r\n?/g, '\n'), more);
  return () => {
    for (const { name, kept } of before) {
      if (kept) keep(name, kept.text, { ...sourceOf(kept), ...(kept.isUntouched && { isUntouched: true }) });
      else drop(name);
    }
  };
}

/** Restores the text that was replaced last. An edited current text becomes the replaced one. */
export function takeBackEarlier(): void {
  const earlier = keptAs(earlierDraft);
  if (!earlier) return;
  drop(earlierDraft);
  stepAside();
  keep(startDraft, earlier.text, sourceOf(earlier));
}

function stepAside(): void {
  const present = keptAs(startDraft);
  if (present && !present.isUntouched) keep(earlierDraft, present.text, sourceOf(present));
}

function sourceOf(kept: KeptText | undefined): Pick<KeptText, 'source'> {
  return kept?.source === undefined ? {} : { source: kept.source };
}
