/** A notice above every page while the service does not respond. */
import { useSyncExternalStore } from 'react';
import { onReach, type Reach, reachNow } from '../service/connection.ts';

const words: Record<Exclude<Reach, 'reached'>, string> = {
  slow: 'The service is slow to answer …',
  lost: 'No connection to the service. Trying again …',
  offline: 'You are offline.',
  back: 'Connected again.',
};

/** It covers a corner and moves nothing. */
export function ReachNotice() {
  const reach = useSyncExternalStore(onReach, reachNow);
  return (
    <div className="reach" role="status">
      {reach !== 'reached' && <p className={reach === 'back' ? 'calm' : 'warn'}>{words[reach]}</p>}
    </div>
  );
}
