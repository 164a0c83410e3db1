/** The checks of a text that changes. */
import { useEffect, useState } from 'react';
import type { Diagnostic } from '../../../src/config/diagnostics/diagnostics.ts';
import { type Checked, checkText } from './checker.ts';

/** Long enough to swallow a burst of keys, short enough to feel immediate. */
const settleMs = 120;

export type CheckedText = Checked & { text: string };

/** Where one has to be led before `text` can be sent; undefined where nothing is wrong, or nothing is known of it yet. */
export function firstErrorIn(text: string, checked: CheckedText | undefined): Diagnostic | undefined {
  return checked?.text === text ? checked.diagnostics.find(({ severity }) => severity === 'error') : undefined;
}

/** What was said last; `text` says of what. Undefined before the first word. */
export function useChecked(text: string): CheckedText | undefined {
  const [checked, setChecked] = useState<CheckedText>();
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(async () => {
      const result = await checkText(text);
      if (isWanted) setChecked({ ...result, text });
    }, settleMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text]);
  return checked;
}
