/** A claim link: what it would claim, and the confirmation. */
import { useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printCountdown } from '../parts/time.ts';
import { tellUser } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { go, Link } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import type { Problem } from '../service/ask.ts';
import type { Claim } from '../service/records.ts';
import { claimOf, confirmClaim } from './calls.ts';
import { signInPath } from './next.ts';
import { findVisitor, useVisitor, type Visitor } from './session.ts';
import './account.css';

export default function ClaimPage({ token }: { token: string }) {
  const visitor = useVisitor();
  const claim = useAnswer(`${token} ${visitor.kind}`, () => claimOf(token));
  if (claim.problem) return <RefusedClaim problem={claim.problem} />;
  if (!claim.value || visitor.kind === 'unknown') {
    return (
      <div className="page narrow">
        <Loading what="the claim" height="24rem" />
      </div>
    );
  }
  return <OpenClaim {...{ token, visitor }} claim={claim.value} />;
}

function OpenClaim({ token, claim, visitor }: { token: string; claim: Claim; visitor: Visitor }) {
  const { applicationName, environment, isYours, alsoAttached } = claim;
  return (
    <div className="page narrow stack">
      <h1>{isYours ? `${applicationName} is yours` : `Keep ${applicationName}`}</h1>
      <p className="soft">
        {isYours
          ? 'It belongs to your account already.'
          : `Claiming attaches it to your account${alsoAttached.length > 0 ? `, and with it ${alsoAttached.join(', ')}, started with the same token` : ''}: same address, same data, nothing is deployed again.`}
      </p>
      <ClaimedThing claim={claim} />
      {isYours ? (
        <Link
          to={pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' })}
          className="button primary"
        >
          To its page
        </Link>
      ) : visitor.kind === 'account' ? (
        <Confirmation {...{ token }} email={visitor.account.email} />
      ) : (
        <div className="stack">
          <p>Claiming needs an account.</p>
          <div className="row">
            <Link to={signInPath('sign-up', location.pathname)} className="button primary">
              Create an account
            </Link>
            <Link to={signInPath('sign-in', location.pathname)} className="button">
              Sign in
            </Link>
          </div>
        </div>
      )}
    </div>
  );
}

function ClaimedThing({ claim: { url, pods, expiresAt } }: { claim: Claim }) {
  const now = useNow(1_000);
  return (
    <dl className="panel padded facts">
      <dt>Address</dt>
      <dd>
        <a href={url} target="_blank" rel="noreferrer">
          {url.replace(/^https?:\/\//, '')}
        </a>
      </dd>
      <dt>Pods</dt>
      <dd>
        <ul className="row">
          {pods.map(({ name, state }) => (
            <li key={name} className={`badge ${state}`}>
              {name}
              <span className="spoken"> {state}</span>
            </li>
          ))}
        </ul>
      </dd>
      <dt>Expires</dt>
      <dd className="numbers">
        {expiresAt === undefined ? 'never' : `in ${printCountdown(Date.parse(expiresAt) - now)}, unless it is claimed`}
      </dd>
    </dl>
  );
}

function Confirmation({ token, email }: { token: string; email: string }) {
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setIsSending] = useState(false);
  const confirm = async () => {
    setIsSending(true);
    const answer = await confirmClaim(token);
    setIsSending(false);
    if (!answer.ok) return setProblem(answer.problem);
    await findVisitor();
    const { message, environment, applicationName } = answer.value;
    tellUser(message);
    go(pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' }), { replace: true });
  };
  return (
    <div className="stack">
      {problem && <ProblemNotice problem={problem} />}
      <div className="row">
        <button type="button" className="button primary" disabled={isSending} onClick={() => void confirm()}>
          Claim it
        </button>
        <span className="soft small">for {email}</span>
      </div>
    </div>
  );
}

const anotherLink = 'Open the deployment in the browser that started it, and press “Claim to keep it” again.';

const refusals: Record<string, { title: string; says: string }> = {
  claim_not_found: { title: 'There is no such claim link', says: `It may have been mistyped. ${anotherLink}` },
  claim_expired: {
    title: 'This claim link has ended',
    says: `It is too old, or its deployment has ended. ${anotherLink}`,
  },
  already_claimed: {
    title: 'This link was used already',
    says: 'The deployment belongs to an account. If it is yours, sign in to it.',
  },
};

function RefusedClaim({ problem: { code, error, hint } }: { problem: Problem }) {
  const { title, says } = refusals[code] ?? { title: error, says: hint ?? '' };
  return (
    <div className="page narrow">
      <div className="panel empty">
        <h1>{title}</h1>
        <p>{says}</p>
        <Link to="/deployments" className="button">
          Your deployments
        </Link>
      </div>
    </div>
  );
}
