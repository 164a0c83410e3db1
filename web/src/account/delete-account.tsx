/** The end of the account, with everything that it has. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { showToast } from '../parts/toast.tsx';
import { forgetTextsOfAccount } from '../remembered/remembered.ts';
import { go } from '../routing/router.tsx';
import type { Account } from '../service/records.ts';
import { deleteAccount } from './calls.ts';
import { Field, Form } from './form.tsx';
import { findVisitor } from './session.ts';

export function DeleteAccount({ account }: { account: Account }) {
  const [isAsking, setIsAsking] = useState(false);
  const { deployments } = account.usage;
  return (
    <section className="row" aria-label="Delete the account">
      <p className="small soft">
        Deletes the account with its deployments, their data and its API keys. This can't be undone.
      </p>
      <button type="button" className="button compact danger push" onClick={() => setIsAsking(true)}>
        Delete the account
      </button>
      {isAsking && (
        <Dialog title={`Delete ${account.email}?`} onClose={() => setIsAsking(false)}>
          <p>
            {deployments === 0
              ? 'It has no deployments.'
              : `Its ${deployments === 1 ? 'deployment is' : `${deployments} deployments are`} removed with all data.`}
          </p>
          <Form
            submit="Delete it with everything it has"
            isFinal
            onSubmit={({ password = '' }) => deleteAccount(password)}
            onDone={() => void leave()}
          >
            {account.hasPassword && (
              <Field label="Password" name="password" type="password" autoComplete="current-password" required />
            )}
          </Form>
          <button type="button" className="button" onClick={() => setIsAsking(false)}>
            Keep it
          </button>
        </Dialog>
      )}
    </section>
  );
}

async function leave() {
  forgetTextsOfAccount();
  await findVisitor();
  go('/', { replace: true });
  showToast('The account was deleted.');
}
