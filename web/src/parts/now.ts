/** The time, for what is shown of it. */
import { useEffect, useState } from 'react';

/** The present instant, updated every `everyMs` while the page is visible. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tell = () => document.hidden || setNow(Date.now());
    const timer = setInterval(tell, everyMs);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tell);
    };
  }, [everyMs]);
  return now;
}
