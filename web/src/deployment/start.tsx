/** Starts a stopped application again. */
import { showToast } from '../parts/toast.tsx';
import { usePending } from '../parts/use-pending.ts';
import { startApplication, type Target } from '../service/calls.ts';

export function StartButton({ target, onStarted }: { target: Target; onStarted: () => void }) {
  const [isAsking, whileAsking] = usePending();
  const start = async () => {
    const answer = await whileAsking(startApplication(target));
    if (!answer.ok) return showToast([answer.problem.error, answer.problem.hint].filter(Boolean).join(' '));
    onStarted();
  };
  return (
    <button type="button" className="button primary" disabled={isAsking} onClick={() => void start()}>
      Start
    </button>
  );
}
