/** The outline of the last valid text. */
import { useEffect, useState } from 'react';
import type { CheckedText } from './use-checked.ts';

/** Keeps the last valid outline while the user edits. */
export function useLastOutline(checked: CheckedText | undefined): CheckedText['outline'] {
  const [last, setLast] = useState(checked?.outline);
  useEffect(() => {
    if (checked?.outline) setLast(checked.outline);
  }, [checked]);
  return checked?.outline ?? last;
}
