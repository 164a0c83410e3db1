/** What is being written on the start page. What an example, a file or another document replaces can be taken back. */
import { earlierDraft, startDraft } from '../kept/names.ts';
import { drop, keep, keptAs, useKept } from '../kept/use-kept.ts';
import { firstText } from './examples.ts';

export function useStartDraft(): { text: string; earlier: string | undefined } {
  const text = useKept(startDraft)?.text ?? firstText;
  const earlier = useKept(earlierDraft)?.text;
  return { text, earlier: earlier === text ? undefined : earlier };
}

export function writeStart(text: string): void {
  keep(startDraft, text);
}

/**
 * Puts another text in its place.
 * @returns what undoes that.
 */
export function replaceStart(text: string): () => void {
  const before = [startDraft, earlierDraft].map((name) => ({ name, kept: keptAs(name) }));
  stepAside();
  // As the editor counts lines; positions of problems and fixes are counted in the same text.
  keep(startDraft, text.replaceAll(/\r\n?/g, '\n'), { isUntouched: true });
  return () => {
    for (const { name, kept } of before) {
      if (kept) keep(name, kept.text, kept.isUntouched ? { isUntouched: true } : {});
      else drop(name);
    }
  };
}

/** The text that was replaced last is back. What stands there now steps aside in turn, if somebody has written in it. */
export function takeBackEarlier(): void {
  const earlier = keptAs(earlierDraft);
  if (!earlier) return;
  drop(earlierDraft);
  stepAside();
  keep(startDraft, earlier.text);
}

function stepAside(): void {
  const present = keptAs(startDraft);
  if (present && !present.isUntouched) keep(earlierDraft, present.text);
}
