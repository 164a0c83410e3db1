/** The checks of a text that changes. */
import { useEffect, useState } from 'react';
import type { Diagnostic } from '../../../src/config/diagnostics/diagnostics.ts';
import { type Checked, checkOnService, checkText } from './checker.ts';

/** Long enough to swallow a burst of keys, short enough to feel immediate. */
const settleMs = 120;

/** Each image lookup is a request to a registry, so that it waits for a pause in typing. */
const pauseMs = 1_000;

export type CheckedText = Checked & { text: string };

/**
 * Returns the first error that prevents sending `text`. Undefined without errors, or before the check. An unavailable
 * image is not such an error, because its registry may be available again by then.
 */
export function firstErrorIn(text: string, checked: CheckedText | undefined): Diagnostic | undefined {
  return checked?.text === text && !checked.isValid
    ? checked.diagnostics.find(({ severity }) => severity === 'error')
    : undefined;
}

/** Returns the last result, with the `text` that it belongs to. Undefined before the first result. */
export function useChecked(text: string): CheckedText | undefined {
  const [checked, setChecked] = useState<CheckedText>();
  useEffect(() => {
    let isWanted = true;
    let timer = setTimeout(async () => {
      const result = await checkText(text);
      if (!isWanted) return;
      setChecked({ ...result, text });
      if (result.isValid) timer = setTimeout(() => void addFindings(result), pauseMs);
    }, settleMs);
    const addFindings = async (result: Checked) => {
      const findings = await checkOnService(text);
      if (isWanted && findings) setChecked({ ...result, ...findings, text });
    };
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text]);
  return checked;
}
