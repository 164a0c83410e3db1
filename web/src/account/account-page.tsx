/** The account that is signed in: its plan, its tokens, its keys, its passkeys. */
import { useEffect, useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { forgetTextsOfAccount } from '../remembered/remembered.ts';
import { go } from '../routing/router.tsx';
import type { Account, SignInMethods } from '../service/records.ts';
import { signOut } from './calls.ts';
import { DeleteAccount } from './delete-account.tsx';
import { Keys } from './keys.tsx';
import { signInPath } from './next.ts';
import { canUsePasskeys } from './passkey-calls.ts';
import { Passkeys } from './passkeys.tsx';
import { Plan } from './plan.tsx';
import { findVisitor, signInMethods, useVisitor } from './session.ts';
import { Tokens } from './tokens.tsx';
import './account.css';

export default function AccountPage() {
  const visitor = useVisitor();
  useEffect(() => {
    if (visitor.kind === 'nobody') go(signInPath('sign-in', '/account'), { replace: true });
  }, [visitor]);
  if (visitor.kind !== 'account') {
    return (
      <div className="page">
        <Loading what="the account" height="30rem" />
      </div>
    );
  }
  return <AccountContent account={visitor.account} />;
}

function AccountContent({ account }: { account: Account }) {
  const [methods, setMethods] = useState<SignInMethods>();
  useEffect(() => {
    // What it uses may have changed since it was last looked at.
    void findVisitor();
    void signInMethods().then(setMethods);
  }, []);
  const leave = async () => {
    await signOut();
    forgetTextsOfAccount();
    await findVisitor();
    go('/', { replace: true });
  };
  return (
    <div className="page stack account">
      <div className="row">
        <div>
          <h1>{account.name}</h1>
          <p className="soft">
            {account.email}
            {methods?.sendsMail && !account.isEmailVerified && ' (not verified)'}
          </p>
        </div>
        <button type="button" className="button push" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
      <div className="columns">
        <Plan account={account} />
        {methods?.passkeys && canUsePasskeys() && <Passkeys />}
      </div>
      <Tokens />
      <Keys />
      <DeleteAccount account={account} />
    </div>
  );
}
