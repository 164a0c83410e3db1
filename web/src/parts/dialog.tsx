/** A modal dialog. */
import { type ReactNode, useEffect, useId, useRef } from 'react';

type DialogProps = {
  title: string;
  /** Also called for Escape. */
  onClose: () => void;
  children: ReactNode;
  /** Buttons. The first one has the focus, unless the dialog has an input field. */
  actions?: ReactNode;
};

/** Shown while it is rendered. The browser keeps the focus inside and restores it at the end. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={onClose}>
      <div className="body">
        <h2 id={id}>{title}</h2>
        {children}
        {actions && <div className="actions">{actions}</div>}
      </div>
    </dialog>
  );
}
