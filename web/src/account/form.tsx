/** Forms that send one request at a time and show the service's response. */
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react';
import { ProblemNotice } from '../parts/notice.tsx';
import type { Answer, Problem } from '../service/request.ts';

type FormProps<T> = {
  /** The values by the names of the fields. */
  onSubmit: (values: Record<string, string>) => Promise<Answer<T>>;
  onDone: (value: T, values: Record<string, string>) => void;
  submit: string;
  /** The action cannot be undone. */
  isFinal?: boolean;
  /** Replaces the service's message with a more specific one. */
  explain?: (problem: Problem) => Problem;
  children: ReactNode;
};

export function Form<T>({ onSubmit, onDone, submit, isFinal, explain = (problem) => problem, children }: FormProps<T>) {
  const [problem, setProblem] = useState<Problem>();
  const [isSending, setIsSending] = useState(false);

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]),
    );
    setIsSending(true);
    setProblem(undefined);
    const answer = await onSubmit(values);
    setIsSending(false);
    if (answer.ok) onDone(answer.value, values);
    else setProblem(explain(answer.problem));
  };

  return (
    <form className="stack" onSubmit={(event) => void send(event)}>
      {problem && <ProblemNotice problem={problem} />}
      {children}
      <button type="submit" className={`button ${isFinal ? 'danger' : 'primary'}`} aria-disabled={isSending}>
        {isSending ? 'One moment …' : submit}
      </button>
    </form>
  );
}

type FieldProps = { label: string; hint?: string } & ComponentProps<'input'>;

export function Field({ label, hint, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} className="input" {...input} aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="small soft">
          {hint}
        </p>
      )}
    </div>
  );
}

export function EmailField({ label = 'E-mail', autoComplete = 'username' }) {
  return <Field label={label} autoComplete={autoComplete} name="email" type="email" required maxLength={254} />;
}

/** Equal to the service's `minPasswordLength`. */
const minLetters = 10;

export function NewPasswordField({ label = 'Password' }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={minLetters}
      maxLength={128}
      hint={`At least ${minLetters} characters.`}
    />
  );
}
