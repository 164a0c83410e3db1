/** The edited configuration of a deployment, stored until it is sent, also when the page is closed. */
import { useEffect } from 'react';
import type { Target } from '../service/calls.ts';
import { documentOf, draftOf } from '../stored-texts/names.ts';
import { draftFrom } from '../stored-texts/stored-texts.ts';
import { drop, storeText, useStoredText } from '../stored-texts/use-stored-text.ts';

export type Draft = {
  text: string;
  isChanged: boolean;
  /** The revision that the draft is based on, if there is a newer one. */
  behind?: number;
  write: (text: string) => void;
  /** Bases the draft on the current revision. */
  catchUp: () => void;
  discard: () => void;
};

/** `original`: the configuration of the present revision. */
export function useDraft(target: Target, original: string, revision: number): Draft {
  const name = draftOf(target);
  const document = documentOf(target);
  const kept = useStoredText(name);
  const { text, isChanged, begun } = draftFrom(kept, original, revision);
  useEffect(() => storeText(document, original), [document, original]);
  return {
    text,
    isChanged,
    ...(isChanged && begun !== revision && { behind: begun }),
    write(written) {
      if (written === original) drop(name);
      else storeText(name, written, { revision: begun });
    },
    catchUp: () => kept && storeText(name, kept.text, { revision }),
    discard: () => drop(name),
  };
}
