/** A deployment that has ended, or that is not this person's. */
import { signInPath } from '../account/next.ts';
import { DeployAgain } from '../home/deploy-again.tsx';
import { Link } from '../routing/router.tsx';
import type { Target } from '../service/calls.ts';
import type { Problem } from '../service/request.ts';
import { documentOf } from '../stored-texts/names.ts';
import { useStoredText } from '../stored-texts/use-stored-text.ts';
import { endOf, type StreamedEvent } from './event-text.ts';
import { TokenForm } from './token-form.tsx';

type MissingDeploymentProps = {
  target: Target;
  problem?: Problem;
  events: readonly StreamedEvent[];
  /** Called when the deployment was found with the token. */
  onOpened: () => void;
};

export function MissingDeployment({ target, problem, events, onOpened }: MissingDeploymentProps) {
  const isKept = useStoredText(documentOf(target)) !== undefined;
  const { title, says, isUnknown } = explain(
    target,
    problem,
    events.map(endOf).find((end) => end !== undefined),
  );
  return (
    <div className="page">
      <div className="empty">
        <h1>{title}</h1>
        <p>{says}</p>
        {isUnknown && <TokenForm target={target} onOpened={onOpened} />}
        {isKept && <p>Its configuration is kept in this browser. A new deployment of it gets a new address.</p>}
        <div className="row">
          <DeployAgain place={target} className="button primary" />
          <Link to="/" className={isKept || isUnknown ? 'button' : 'button primary'}>
            New deployment
          </Link>
          <Link to="/deployments" className="button">
            Your deployments
          </Link>
          {!problem && (
            <Link to={signInPath('sign-in', location.pathname)} className="button">
              Sign in
            </Link>
          )}
        </div>
      </div>
    </div>
  );
}

function explain(
  { applicationName, sessionToken }: Target,
  problem: Problem | undefined,
  end: ReturnType<typeof endOf>,
) {
  if (end === 'removed') {
    return { title: `${applicationName} was removed`, says: 'Its site, its pods and its data are gone.' };
  }
  if (end)
    return {
      title: `${applicationName} has expired`,
      says: 'Its time limit was reached: its site, its pods and its data are gone.',
    };
  if (problem?.status === 404 && sessionToken !== undefined) {
    return { title: `${applicationName} has ended`, says: 'It was removed, or its time limit was reached.' };
  }
  return {
    title: 'This deployment cannot be found',
    says: 'It can be seen in the browser that started it, by the account that has claimed it, and with its session token. It may also have ended.',
    isUnknown: true,
  };
}
