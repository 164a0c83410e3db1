/** Whether a request is pending. Other requests wait until it ends. */
import { useCallback, useState } from 'react';

/** `whileAsking`: waits for the answer, and gives it back. */
export function useAsking(): [isAsking: boolean, whileAsking: <T>(answer: Promise<T>) => Promise<T>] {
  const [isAsking, setIsAsking] = useState(false);
  const whileAsking = useCallback(async <T>(answer: Promise<T>): Promise<T> => {
    setIsAsking(true);
    try {
      return await answer;
    } finally {
      setIsAsking(false);
    }
  }, []);
  return [isAsking, whileAsking];
}
