/** The page behind the link that verifies an address. Anyone can send people here, so it states only facts. */
import { useEffect, useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { Link } from '../routing/router.tsx';
import { requestVerification, verifyEmail } from './calls.ts';
import { EmailField, Form } from './form.tsx';
import { signInPath } from './next.ts';
import { findVisitor, useSendsMail, useVisitor } from './session.ts';
import './account.css';

export default function VerifyPage() {
  const query = new URLSearchParams(location.search);
  const token = query.get('token');
  return (
    <div className="page narrow">
      {token === null ? (
        <Ask
          title="Verify your address"
          says="Open the link in the mail that we have sent you. If it has not arrived, ask for a new one."
        />
      ) : query.has('error') ? (
        <DeadLink />
      ) : (
        <Verified token={token} />
      )}
    </div>
  );
}

function Verified({ token }: { token: string }) {
  const { value, problem } = useAnswer(token, () => verifyEmail(token));
  const visitor = useVisitor();
  // The address may have changed.
  useEffect(() => void (value && findVisitor()), [value]);
  if (problem?.code === 'sign_in_first') return <SignInFirst token={token} />;
  if (problem) return <DeadLink />;
  if (!value) return <Loading what="the answer" height="14rem" />;
  return (
    <div className="panel empty">
      <h1>Your address is verified</h1>
      {visitor.kind === 'account' ? (
        <>
          <p>You are signed in as {visitor.account.email}.</p>
          <Link to="/account" className="button primary">
            Your account
          </Link>
        </>
      ) : (
        <>
          <p>You can sign in now.</p>
          <Link to="/sign-in" className="button primary">
            Sign in
          </Link>
        </>
      )}
    </div>
  );
}

/** The link changes the address of an account, which requires its owner's sign-in. */
function SignInFirst({ token }: { token: string }) {
  return (
    <div className="panel empty">
      <h1>Sign in to confirm your new address</h1>
      <p>This link changes the address of an account. It works only while you are signed in to that account.</p>
      <Link to={signInPath('sign-in', `/verify-email?token=${token}`)} className="button primary">
        Sign in
      </Link>
    </div>
  );
}

function DeadLink() {
  return <Ask title="This link no longer works" says="It is incomplete or too old. Ask for a new link." />;
}

function Ask({ title, says }: { title: string; says: string }) {
  const [isSent, setIsSent] = useState(false);
  const sendsMail = useSendsMail();
  if (sendsMail === false) return <NothingToVerify />;
  return (
    <div className="panel empty">
      <h1>{title}</h1>
      <p>{says}</p>
      {isSent ? (
        <p role="status">Another mail is on its way, if the address has an account that needs it.</p>
      ) : (
        <Form
          onSubmit={({ email = '' }) => requestVerification(email)}
          onDone={() => setIsSent(true)}
          submit="Send me another mail"
        >
          <EmailField />
        </Form>
      )}
    </div>
  );
}

function NothingToVerify() {
  return (
    <div className="panel empty">
      <h1>There is nothing to verify</h1>
      <p>This server does not send email, and addresses need not be verified. You can sign in with your password.</p>
      <Link to="/sign-in" className="button primary">
        Sign in
      </Link>
    </div>
  );
}
