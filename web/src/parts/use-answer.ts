/** The service's answer to one request, sent again when `key` changes. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Problem } from '../service/request.ts';

export type AnswerState<T> = { value?: T; problem?: Problem; reload: () => void };

/** The last value stays while the next response is pending. */
export function useAnswer<T>(key: string, question: () => Promise<Answer<T>>): AnswerState<T> {
  const [state, setState] = useState<{ value?: T; problem?: Problem }>({});
  const [round, setRound] = useState(0);
  const latest = useRef(question);
  latest.current = question;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key and the round say when to ask
  useEffect(() => {
    let isWanted = true;
    void latest.current().then((answer) => {
      if (isWanted)
        setState(({ value }) =>
          answer.ok ? { value: answer.value } : { ...(value && { value }), problem: answer.problem },
        );
    });
    return () => {
      isWanted = false;
    };
  }, [key, round]);
  return { ...state, reload: useCallback(() => setRound((before) => before + 1), []) };
}
