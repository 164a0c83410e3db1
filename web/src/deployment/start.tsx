/** Starting an application again that was stopped. */
import { tellUser } from '../parts/toast.tsx';
import { useAsking } from '../parts/use-asking.ts';
import { startApplication, type Target } from '../service/calls.ts';

export function StartButton({ target, onStarted }: { target: Target; onStarted: () => void }) {
  const [isAsking, whileAsking] = useAsking();
  const start = async () => {
    const answer = await whileAsking(startApplication(target));
    if (!answer.ok) return tellUser([answer.problem.error, answer.problem.hint].filter(Boolean).join(' '));
    onStarted();
  };
  return (
    <button type="button" className="button primary" disabled={isAsking} onClick={() => void start()}>
      Start
    </button>
  );
}
