/** Starting an application again that was stopped. */
import { useState } from 'react';
import { tellUser } from '../parts/toast.tsx';
import { startApplication, type Target } from '../service/calls.ts';

export function StartButton({ target, onStarted }: { target: Target; onStarted: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const start = async () => {
    setIsAsking(true);
    const answer = await startApplication(target);
    setIsAsking(false);
    if (!answer.ok) return tellUser([answer.problem.error, answer.problem.hint].filter(Boolean).join(' '));
    onStarted();
  };
  return (
    <button type="button" className="button primary" disabled={isAsking} onClick={() => void start()}>
      Start
    </button>
  );
}
