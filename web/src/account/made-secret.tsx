/** A new secret, shown only once. */
import type { ReactNode } from 'react';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';

type MadeSecretProps = {
  title: string;
  /** The label of the copy button. */
  what: string;
  secret: string;
  onClose: () => void;
  children: ReactNode;
};

export function MadeSecret({ title, what, secret, onClose, children }: MadeSecretProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <button type="button" className="button primary" onClick={onClose}>
          I have saved it
        </button>
      }
    >
      <p>{children}</p>
      <p className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </p>
    </Dialog>
  );
}
