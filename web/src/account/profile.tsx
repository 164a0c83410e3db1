/** Name, address and password of the account, each changed in a question of its own. */
import { type ReactNode, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { showToast } from '../parts/toast.tsx';
import { Link } from '../routing/router.tsx';
import type { Account } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { changeEmail, changeName, changePassword } from './calls.ts';
import { EmailField, Field, Form, NewPasswordField } from './form.tsx';
import { findVisitor } from './session.ts';

type ProfileProps = { account: Account; sendsMail: boolean | undefined };

export function Profile({ account, sendsMail }: ProfileProps) {
  const [changed, setChanged] = useState<'name' | 'email' | 'password'>();
  const close = () => setChanged(undefined);
  const { name, email, isEmailVerified, hasPassword } = account;
  return (
    <section className="panel padded stack" aria-label="Profile">
      <h2>Profile</h2>
      <dl className="profile">
        <Row label="Name" onChange={() => setChanged('name')}>
          {name}
        </Row>
        <Row label="E-mail" onChange={() => setChanged('email')}>
          {email}
          {sendsMail && !isEmailVerified && <span className="soft"> (not verified)</span>}
        </Row>
        <Row label="Password" onChange={hasPassword ? () => setChanged('password') : undefined}>
          {hasPassword ? '••••••••••' : <NoPassword sendsMail={sendsMail} />}
        </Row>
      </dl>
      {changed === 'name' && <NameDialog name={name} onClose={close} />}
      {changed === 'email' && <EmailDialog account={account} sendsMail={sendsMail} onClose={close} />}
      {changed === 'password' && <PasswordDialog onClose={close} />}
    </section>
  );
}

type RowProps = { label: string; onChange: (() => void) | undefined; children: ReactNode };

function Row({ label, onChange, children }: RowProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
      {onChange && (
        <dd>
          <button
            type="button"
            className="button compact"
            aria-label={`Change: ${label.toLowerCase()}`}
            onClick={onChange}
          >
            Change
          </button>
        </dd>
      )}
    </div>
  );
}

function NoPassword({ sendsMail }: Pick<ProfileProps, 'sendsMail'>) {
  if (!sendsMail) return <span className="soft">None. You sign in another way.</span>;
  return (
    <>
      None. <Link to="/forgot-password">Set one by mail</Link>
    </>
  );
}

function NameDialog({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <Dialog title="Change your name" onClose={onClose}>
      <Form
        submit="Change the name"
        onSubmit={({ name = '' }) => changeName(name)}
        onDone={() => {
          showToast('Your name was changed.');
          void findVisitor();
          onClose();
        }}
      >
        <Field label="Name" name="name" required maxLength={100} autoComplete="name" defaultValue={name} />
      </Form>
      <Cancel onClose={onClose} />
    </Dialog>
  );
}

function EmailDialog({ account, sendsMail, onClose }: ProfileProps & { onClose: () => void }) {
  const [sentTo, setSentTo] = useState<string>();
  const done = async (newEmail: string) => {
    if (sendsMail) return setSentTo(newEmail);
    const visitor = await findVisitor();
    // The service does not reveal whether an address has an account.
    const isChanged = visitor.kind === 'account' && visitor.account.email === newEmail.toLowerCase();
    showToast(isChanged ? 'Your e-mail address was changed.' : 'This address can’t be used. Yours was not changed.');
    onClose();
  };
  if (sentTo !== undefined) {
    return (
      <Dialog
        title="Check your mail"
        onClose={onClose}
        actions={
          <button type="button" className="button primary" onClick={onClose}>
            Close
          </button>
        }
      >
        <p role="status">
          We have sent a link to <strong>{sentTo}</strong>. Open it in this browser within an hour; until then your
          address stays as it is.
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Change your e-mail address" onClose={onClose}>
      <p>
        Now: <strong>{account.email}</strong>.{' '}
        {sendsMail && 'We send a link to the new address; the change takes effect once you open it.'}
      </p>
      <Form
        submit={sendsMail ? 'Send me a link' : 'Change the address'}
        explain={withOwnWords}
        onSubmit={({ email = '', password = '' }) => changeEmail(email, password)}
        onDone={(_, { email = '' }) => void done(email)}
      >
        <EmailField label="New e-mail" autoComplete="email" />
        {account.hasPassword ? (
          <PresentPassword />
        ) : (
          <p className="small soft">Your account has no password, so this needs a sign-in of the last 10 minutes.</p>
        )}
      </Form>
      <Cancel onClose={onClose} />
    </Dialog>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Change your password" onClose={onClose}>
      <p>All other browsers are signed out. API keys stay as they are.</p>
      <Form
        submit="Change the password"
        explain={withOwnWords}
        onSubmit={({ present = '', password = '' }) => changePassword(present, password)}
        onDone={() => {
          showToast('Your password was changed.');
          void findVisitor();
          onClose();
        }}
      >
        <PresentPassword name="present" />
        <NewPasswordField label="New password" />
      </Form>
      <Cancel onClose={onClose} />
    </Dialog>
  );
}

function PresentPassword({ name = 'password' }: { name?: string }) {
  return <Field label="Current password" name={name} type="password" autoComplete="current-password" required />;
}

function Cancel({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" className="button" onClick={onClose}>
      Cancel
    </button>
  );
}

function withOwnWords(problem: Problem): Problem {
  return problem.code === 'invalid_password' ? { ...problem, error: 'This is not your current password.' } : problem;
}
