/** Signing in, and signing up. */
import { useEffect, useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { go, Link } from '../routing/router.tsx';
import type { SignInMethods } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { signIn, signUp } from './calls.ts';
import { EmailField, Field, Form, NewPasswordField } from './form.tsx';
import { nextPath, signInPath } from './next.ts';
import { OtherWays } from './other-ways.tsx';
import { findVisitor, signInMethods } from './session.ts';
import './account.css';

export default function SignInPage({ isNew }: { isNew: boolean }) {
  const [methods, setMethods] = useState<SignInMethods>();
  const [mailedTo, setMailedTo] = useState<string>();
  useEffect(() => {
    void signInMethods().then(setMethods);
  }, []);
  const next = nextPath(location.search, location.origin);
  const enter = async () => {
    await findVisitor();
    go(next, { replace: true });
  };

  if (mailedTo !== undefined) return <MailSent address={mailedTo} />;
  return (
    <div className="page narrow stack sign-in">
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
      <p className="soft">
        {isNew
          ? 'With an account, what you deploy is yours: manage it from anywhere, for as long as your plan lets it run.'
          : "You don't need an account to deploy. With one, you keep what you claim."}
      </p>
      <ReturnedProblem />
      <div className="panel padded stack">
        {!methods ? (
          <Loading what="the form" height="16rem" />
        ) : isNew && !methods.signUp ? (
          <p>You can't create an account on this server yourself. Ask its operator for one.</p>
        ) : isNew ? (
          <SignUpForm methods={methods} onEnter={() => void enter()} onMailed={setMailedTo} />
        ) : (
          <SignInForm methods={methods} next={next} onEnter={() => void enter()} />
        )}
        {methods && <OtherWays methods={methods} next={next} isNew={isNew} onEnter={() => void enter()} />}
      </div>
      <p className="small">
        {isNew ? 'Already have an account?' : 'No account yet?'}{' '}
        <Link to={signInPath(isNew ? 'sign-in' : 'sign-up', next)}>{isNew ? 'Sign in' : 'Create an account'}</Link>
      </p>
    </div>
  );
}

type SignInFormProps = { methods: SignInMethods; next: string; onEnter: () => void };

function SignInForm({ methods, next, onEnter }: SignInFormProps) {
  return (
    <>
      <Form
        onSubmit={({ email = '', password = '' }) => signIn(email, password)}
        onDone={onEnter}
        submit="Sign in"
        explain={explainSignIn}
      >
        <EmailField />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      </Form>
      {methods.sendsMail && (
        <p className="small">
          <Link to={signInPath('forgot-password', next)}>Forgot your password?</Link>
        </p>
      )}
    </>
  );
}

function explainSignIn(problem: Problem): Problem {
  if (problem.code !== 'email_not_verified') return problem;
  return {
    ...problem,
    error: 'Your address is not verified yet.',
    hint: 'We have sent you another mail: open the link in it.',
  };
}

type SignUpFormProps = { methods: SignInMethods; onEnter: () => void; onMailed: (address: string) => void };

function SignUpForm({ methods, onEnter, onMailed }: SignUpFormProps) {
  return (
    <Form
      submit="Create the account"
      onSubmit={({ name = '', email = '', password = '' }) => signUp({ name, email, password })}
      onDone={({ token }, { email = '' }) => (token === null && methods.sendsMail ? onMailed(email) : onEnter())}
    >
      <Field label="Name" name="name" autoComplete="name" required maxLength={100} />
      <EmailField />
      <NewPasswordField />
    </Form>
  );
}

function MailSent({ address }: { address: string }) {
  return (
    <div className="page narrow">
      <div className="panel empty">
        <h1>Check your mail</h1>
        <p>
          We have sent a mail to <strong>{address}</strong>. Open the link in it to verify the address; then you can
          sign in.
        </p>
      </div>
    </div>
  );
}

/** After a failed sign-in, the provider sends users back with an error code. */
function ReturnedProblem() {
  const error = new URLSearchParams(location.search).get('error');
  if (error === null) return null;
  const problem = {
    status: 0,
    code: 'sign_in_failed',
    error: 'Signing in there did not work.',
    hint: 'Try again, or another way.',
  };
  return <ProblemNotice problem={problem} />;
}
