/** The configuration of a deployment as it is being edited: kept until it is sent, whatever becomes of the page. */
import { useEffect } from 'react';
import { documentOf, draftOf } from '../kept/names.ts';
import { drop, keep, useKept } from '../kept/use-kept.ts';
import type { Target } from '../service/calls.ts';

export type Draft = {
  text: string;
  isChanged: boolean;
  /** The revision that the draft began with, where another one has come since. */
  behind?: number;
  write: (text: string) => void;
  /** It is about the present revision from now on. */
  catchUp: () => void;
  discard: () => void;
};

/** `original`: the configuration of the present revision. */
export function useDraft(target: Target, original: string, revision: number): Draft {
  const name = draftOf(target);
  const document = documentOf(target);
  const kept = useKept(name);
  const isChanged = kept !== undefined && kept.text !== original;
  useEffect(() => keep(document, original), [document, original]);
  const begun = kept?.revision ?? revision;
  return {
    text: isChanged ? kept.text : original,
    isChanged,
    ...(isChanged && begun !== revision && { behind: begun }),
    write(text) {
      if (text === original) drop(name);
      else keep(name, text, { revision: isChanged ? begun : revision });
    },
    catchUp: () => kept && keep(name, kept.text, { revision }),
    discard: () => drop(name),
  };
}
