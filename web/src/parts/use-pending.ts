/** Whether a request is pending. Other requests wait until it ends. */
import { useCallback, useState } from 'react';

/** `whileAsking`: waits for the response, and returns it. */
export function usePending(): [isAsking: boolean, whileAsking: <T>(answer: Promise<T>) => Promise<T>] {
  const [isPending, setIsPending] = useState(false);
  const whilePending = useCallback(async <T>(answer: Promise<T>): Promise<T> => {
    setIsPending(true);
    try {
      return await answer;
    } finally {
      setIsPending(false);
    }
  }, []);
  return [isPending, whilePending];
}
