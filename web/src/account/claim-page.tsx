/** The page of a claim link: shows what it claims, and requests confirmation. */
import { useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo, printCountdown } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { forgetDeployment, useRemembered } from '../remembered/remembered.ts';
import { go, Link } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import type { Claim } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
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
  return <OpenClaim token={token} visitor={visitor} claim={claim.value} onChanged={claim.reload} />;
}

type OpenClaimProps = { token: string; claim: Claim; visitor: Visitor; onChanged: () => void };

function OpenClaim({ token, claim, visitor, onChanged }: OpenClaimProps) {
  const { applicationName, environment, isYours, attached } = claim;
  return (
    <div className="page narrow stack">
      <h1>{isYours ? `${applicationName} is yours` : `Keep ${applicationName}`}</h1>
      <p className="soft">
        {isYours
          ? 'It already belongs to your account.'
          : `Claiming attaches ${attached.length > 1 ? `these ${attached.length} deployments, all started with the same token,` : 'it'} to your account: same address, same data, nothing is deployed again.`}
      </p>
      {attached.map((each) => (
        <AttachedThing key={each.url} attached={each} isNamed={attached.length > 1} />
      ))}
      {isYours ? (
        <Link
          to={pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' })}
          className="button primary"
        >
          Open the deployment
        </Link>
      ) : visitor.kind === 'account' ? (
        <Confirmation token={token} claim={claim} onChanged={onChanged} email={visitor.account.email} />
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

type AttachedThingProps = { attached: Claim['attached'][number]; isNamed: boolean };

function AttachedThing({
  attached: { applicationName, url, pods, createdAt, expiresAt },
  isNamed,
}: AttachedThingProps) {
  const now = useNow(1_000);
  return (
    <dl className="panel padded facts">
      {isNamed && (
        <>
          <dt>Application</dt>
          <dd>{applicationName}</dd>
        </>
      )}
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
      <dt>Started</dt>
      <dd>{printAgo(now - Date.parse(createdAt))}</dd>
      <dt>Expires</dt>
      <dd className="numbers">
        {expiresAt === undefined ? 'never' : `in ${printCountdown(Date.parse(expiresAt) - now)}, unless it is claimed`}
      </dd>
    </dl>
  );
}

type ConfirmationProps = { token: string; claim: Claim; email: string; onChanged: () => void };

function Confirmation({ token, claim, email, onChanged }: ConfirmationProps) {
  const [isTokenEnding, setIsTokenEnding] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setIsSending] = useState(false);
  const remembered = useRemembered();
  const isFromHere = claim.attached.some(({ url }) => remembered.some((one) => one.url === url));
  const confirm = async () => {
    setIsSending(true);
    const urls = claim.attached.map(({ url }) => url);
    const answer = await confirmClaim(token, { urls, endToken: isTokenEnding });
    setIsSending(false);
    if (!answer.ok) {
      if (answer.problem.code === 'claim_changed') onChanged();
      return setProblem(explainClaim(answer.problem));
    }
    await findVisitor();
    const { message, environment, applicationName, attached, tokenEnded } = answer.value;
    // The stored token is useless now. The account sees the same deployments.
    if (tokenEnded) attached.forEach(forgetDeployment);
    showToast(message);
    go(pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' }), { replace: true });
  };
  return (
    <div className="stack">
      {problem && <ProblemNotice problem={problem} />}
      <div className="panel padded stack">
        <p>
          {isFromHere ? (
            <>
              <strong>You started this in this browser, and its token keeps working.</strong> Everyone with the token
              can still see, change and remove it, and read its logs and its configuration. A deployment that the token
              starts from now on
            </>
          ) : (
            <>
              <strong>The token of the user who started it stays valid.</strong> They can still see, change and remove
              it, and read its logs and its configuration. A deployment that they start with it from now on
            </>
          )}{' '}
          is free and expires: it does not count towards your plan. Your account page shows the token, and can end it at
          any time.
        </p>
        <label className="check">
          <input type="checkbox" checked={isTokenEnding} onChange={({ target }) => setIsTokenEnding(target.checked)} />
          <span>End the token now. An agent that uses it will need a new one.</span>
        </label>
      </div>
      <div className="row">
        <button type="button" className="button primary" disabled={isSending} onClick={() => void confirm()}>
          Claim it
        </button>
        <span className="soft small">for {email}</span>
      </div>
    </div>
  );
}

function explainClaim(problem: Problem): Problem {
  if (problem.code !== 'claim_changed') return problem;
  return { ...problem, hint: 'It is in the list above now. Look at it, then claim again.' };
}

const anotherLink = 'Open the deployment in the browser that started it, and press “Claim to keep it” again.';

const refusals: Record<string, { title: string; says: string }> = {
  claim_not_found: { title: 'The claim link does not exist', says: `It may have been mistyped. ${anotherLink}` },
  claim_expired: {
    title: 'This claim link no longer works',
    says: `It is too old, or its deployment has ended. ${anotherLink}`,
  },
  already_claimed: {
    title: 'This link has already been used',
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
