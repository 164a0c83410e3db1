/** A forgotten password: the form that requests a mail, and the page behind the link in it. */
import { useState } from 'react';
import { showToast } from '../parts/toast.tsx';
import { go, Link } from '../routing/router.tsx';
import { requestPasswordReset, resetPassword } from './calls.ts';
import { EmailField, Form, NewPasswordField } from './form.tsx';
import { nextPath, signInPath } from './next.ts';
import { useSendsMail } from './session.ts';
import './account.css';

export function ForgotPasswordPage() {
  const [isSent, setIsSent] = useState(false);
  const sendsMail = useSendsMail();
  const next = nextPath(location.search, location.origin);
  return (
    <div className="page narrow stack sign-in">
      <h1>Forgotten password</h1>
      <div className="panel padded stack">
        {sendsMail === false ? (
          <p>
            This server does not send email, so it can't send you a link. Sign in another way if you have set one up, or
            ask its operator.
          </p>
        ) : isSent ? (
          <p role="status">If an account has this address, we have sent it a mail with a link.</p>
        ) : (
          <Form
            onSubmit={({ email = '' }) => requestPasswordReset(email)}
            onDone={() => setIsSent(true)}
            submit="Send me a link"
          >
            <EmailField />
          </Form>
        )}
      </div>
      <p className="small">
        <Link to={signInPath('sign-in', next)}>Back to sign-in</Link>
      </p>
    </div>
  );
}

export function ResetPasswordPage() {
  const query = new URLSearchParams(location.search);
  const token = query.get('token');
  if (token === null || query.has('error')) {
    return (
      <div className="page narrow">
        <div className="panel empty">
          <h1>This link no longer works</h1>
          <p>It has already been used, or it has expired.</p>
          <Link to="/forgot-password" className="button">
            Ask for a new link
          </Link>
        </div>
      </div>
    );
  }
  return (
    <div className="page narrow stack sign-in">
      <h1>A new password</h1>
      <div className="panel padded">
        <Form
          onSubmit={({ password = '' }) => resetPassword(token, password)}
          onDone={() => {
            showToast('Your new password is set. Sign in with it.');
            go('/sign-in', { replace: true });
          }}
          submit="Set the password"
        >
          <NewPasswordField />
        </Form>
      </div>
    </div>
  );
}
