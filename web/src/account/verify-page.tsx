/** Where the link of a mail leads that verifies an address. */
import { useEffect, useState } from 'react';
import { Link } from '../routing/router.tsx';
import { askForVerification } from './calls.ts';
import { EmailField, Form } from './form.tsx';
import { findVisitor } from './session.ts';
import './account.css';

export default function VerifyPage() {
  const hasFailed = new URLSearchParams(location.search).has('error');
  useEffect(() => {
    void findVisitor();
  }, []);
  return (
    <div className="page narrow">
      <div className="panel empty">
        {hasFailed ? (
          <Failed />
        ) : (
          <>
            <h1>Your address is verified</h1>
            <p>You are signed in.</p>
            <Link to="/deployments" className="button primary">
              Your deployments
            </Link>
          </>
        )}
      </div>
    </div>
  );
}

function Failed() {
  const [isSent, setIsSent] = useState(false);
  return (
    <>
      <h1>This link does not work any more</h1>
      <p>It was used, or is too old.</p>
      {isSent ? (
        <p role="status">Another mail is on its way, if the address has an account that needs it.</p>
      ) : (
        <Form
          onSubmit={({ email = '' }) => askForVerification(email)}
          onDone={() => setIsSent(true)}
          submit="Send me another mail"
        >
          <EmailField />
        </Form>
      )}
    </>
  );
}
