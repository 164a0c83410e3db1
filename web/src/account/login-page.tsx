/**
 * Confirms that a command line may act for the account. The link may come from an attacker: the page states what it
 * grants and to whom, and grants nothing without a click.
 */
import { useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo } from '../parts/time.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { Link } from '../routing/router.tsx';
import type { Login } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { decideLogin, loginOf } from './calls.ts';
import { Field } from './form.tsx';
import { signInPath } from './next.ts';
import { useVisitor } from './session.ts';
import './account.css';

export default function LoginPage() {
  const visitor = useVisitor();
  const [code, setCode] = useState(() => new URLSearchParams(location.search).get('code') ?? '');
  return (
    <div className="page narrow stack">
      <h1>Log in to a terminal</h1>
      {visitor.kind === 'unknown' ? (
        <Loading what="the login" height="24rem" />
      ) : visitor.kind === 'anonymous' ? (
        <SignInFirst />
      ) : code === '' ? (
        <CodeForm onCode={setCode} />
      ) : (
        <OpenLogin key={code} email={visitor.account.email} code={code} onCode={setCode} />
      )}
    </div>
  );
}

function SignInFirst() {
  const path = `${location.pathname}${location.search}`;
  return (
    <div className="panel padded stack">
      <p>
        The <code>berth</code> command requests a key to your account. Sign in to see the request; signing in grants
        nothing yet.
      </p>
      <div className="row">
        <Link to={signInPath('sign-in', path)} className="button primary">
          Sign in
        </Link>
        <Link to={signInPath('sign-up', path)} className="button">
          Create an account
        </Link>
      </div>
    </div>
  );
}

type CodeFormProps = { onCode: (code: string) => void };

function CodeForm({ onCode }: CodeFormProps) {
  return (
    <form
      className="panel padded stack"
      onSubmit={(event) => {
        event.preventDefault();
        onCode(String(new FormData(event.currentTarget).get('code')).trim());
      }}
    >
      <Field
        label="Code"
        name="code"
        required
        maxLength={20}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        hint="The code that berth login shows in your terminal."
      />
      <button type="submit" className="button primary">
        Continue
      </button>
    </form>
  );
}

type Decision = 'approved' | 'denied';

function OpenLogin({ code, email, onCode }: { code: string; email: string } & CodeFormProps) {
  const { value: login, problem: unknown } = useAnswer(code, () => loginOf(code));
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setIsSending] = useState(false);
  const [decided, setDecided] = useState<Decision>();
  const decide = async (decision: Decision) => {
    setIsSending(true);
    const answer = await decideLogin(code, decision);
    setIsSending(false);
    if (answer.ok) setDecided(decision);
    else setProblem(answer.problem);
  };

  if (decided) return <Decided decision={decided} />;
  if (unknown) {
    return (
      <>
        <ProblemNotice problem={unknown} />
        <CodeForm onCode={onCode} />
      </>
    );
  }
  if (!login) return <Loading what="the login" height="24rem" />;
  return (
    <>
      <p>
        Does your terminal show this code? <strong className="login-code">{code.toUpperCase()}</strong>
      </p>
      <Asker login={login} />
      <div className="panel padded stack">
        <p>
          <strong>The terminal receives an API key for your account.</strong> With that it can see, change and remove
          everything that you have deployed, read its logs and its configuration with all passwords, and deploy more,
          until you revoke the key on your account page. It cannot change the account or create other keys.
        </p>
        <p>
          Continue only if <strong>you yourself</strong> have just run <code>berth login</code>. If another person sent
          you this link or this code, that person would gain access to your account: refuse it.
        </p>
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <div className="row">
        <button type="button" className="button primary" disabled={isSending} onClick={() => void decide('approved')}>
          Log it in
        </button>
        <button type="button" className="button" disabled={isSending} onClick={() => void decide('denied')}>
          Refuse
        </button>
        <span className="soft small">for {email}</span>
      </div>
    </>
  );
}

function Asker({ login: { machine, address, isFromYourAddress, createdAt } }: { login: Login }) {
  const now = useNow(1_000);
  return (
    <dl className="panel padded facts">
      <dt>It calls itself</dt>
      <dd>{machine}</dd>
      <dt>Asking from</dt>
      <dd>
        {address}
        {isFromYourAddress ? ', the same as yours' : ', which is not yours'}
      </dd>
      <dt>Asked</dt>
      <dd>{printAgo(now - Date.parse(createdAt))}</dd>
    </dl>
  );
}

function Decided({ decision }: { decision: Decision }) {
  return (
    <div className="panel empty">
      <p role="status">
        {decision === 'approved'
          ? 'Your terminal is logged in within a few seconds. You can close this page.'
          : 'Refused. No key was given out.'}
      </p>
      <Link to="/account" className="button">
        Your API keys
      </Link>
    </div>
  );
}
