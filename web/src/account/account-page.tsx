/** The page of the signed-in account: profile, plan, passkeys, browsers, tokens and keys. */
import { useEffect, useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { forgetTextsOfAccount } from '../remembered/remembered.ts';
import { go } from '../routing/router.tsx';
import type { Account, SignInMethods } from '../service/records.ts';
import { listKeys, listSignIns, listTokens, notifications, signOut } from './calls.ts';
import { DeleteAccount } from './delete-account.tsx';
import { Keys } from './keys.tsx';
import { signInPath } from './next.ts';
import { NotificationsPanel } from './notifications.tsx';
import { canUsePasskeys } from './passkey-calls.ts';
import { Passkeys } from './passkeys.tsx';
import { Plan } from './plan.tsx';
import { Profile } from './profile.tsx';
import { findVisitor, signInMethods, useVisitor } from './session.ts';
import { SignIns } from './sign-ins.tsx';
import { Tokens } from './tokens.tsx';
import './account.css';

export default function AccountPage() {
  const visitor = useVisitor();
  useEffect(() => {
    if (visitor.kind === 'anonymous') go(signInPath('sign-in', '/account'), { replace: true });
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
    // The usage may have changed since the last look.
    void findVisitor();
    void signInMethods().then(setMethods);
  }, []);
  // Requested together, so that no section grows after the ones above it have loaded.
  const signIns = useAnswer('sign-ins', listSignIns);
  const tokens = useAnswer('tokens', listTokens);
  const keys = useAnswer('keys', listKeys);
  const reported = useAnswer('notifications', notifications);
  const isThere = methods && [signIns, tokens, keys, reported].every(({ value, problem }) => value ?? problem);
  const leave = async () => {
    await signOut();
    forgetTextsOfAccount();
    await findVisitor();
    go('/', { replace: true });
  };
  return (
    <div className="page stack account">
      <div className="row">
        <h1>Account</h1>
        <button type="button" className="button push" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
      {isThere ? (
        <>
          <div className="columns">
            <Profile account={account} sendsMail={methods.sendsMail} />
            <Plan account={account} />
            {methods.passkeys && canUsePasskeys() && <Passkeys />}
          </div>
          <NotificationsPanel state={reported} sendsMail={methods.sendsMail} />
          <SignIns state={signIns} />
          <Tokens state={tokens} />
          <Keys state={keys} />
          <DeleteAccount account={account} />
        </>
      ) : (
        <Loading what="the account" height="40rem" />
      )}
    </div>
  );
}
