/** API keys: created, shown once, and revoked. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import type { AnswerState } from '../parts/use-answer.ts';
import type { ApiKey } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { addKey, removeKey } from './calls.ts';
import { Field, Form } from './form.tsx';
import { MadeSecret } from './made-secret.tsx';

export function Keys({ state: { value, problem, reload } }: { state: AnswerState<{ keys: ApiKey[] }> }) {
  const [isAdding, setIsAdding] = useState(false);
  const [made, setMade] = useState<string>();
  const close = () => {
    setIsAdding(false);
    setMade(undefined);
  };
  return (
    <section className="panel padded stack" aria-label="API keys">
      <div className="row">
        <h2>API keys</h2>
        <button type="button" className="button compact push" onClick={() => setIsAdding(true)}>
          New key
        </button>
      </div>
      <p className="small soft">
        For scripts and agents: send one as <code>Authorization: Bearer …</code>, and it can do everything with the
        deployments of your account that you can.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      {value && value.keys.length === 0 && <p className="soft">No API keys yet.</p>}
      {value && value.keys.length > 0 && (
        <ul className="key-rows">
          {value.keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRemoved={reload} />
          ))}
        </ul>
      )}
      {isAdding && made === undefined && (
        <Dialog title="A new API key" onClose={close}>
          <Form
            submit="Make the key"
            onSubmit={({ name = '' }) => addKey(name)}
            onDone={({ key }) => {
              setMade(key);
              reload();
            }}
          >
            <Field
              label="Purpose"
              name="name"
              required
              maxLength={100}
              autoComplete="off"
              placeholder="deploys from CI"
            />
          </Form>
        </Dialog>
      )}
      {made !== undefined && (
        <MadeSecret title="Your new API key" what="the key" secret={made} onClose={close}>
          It is shown only once. Keep it like a password.
        </MadeSecret>
      )}
    </section>
  );
}

function KeyRow({ apiKey, onRemoved }: { apiKey: ApiKey; onRemoved: () => void }) {
  const now = useNow(60_000);
  const [isAsked, setIsAsked] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { id, name, start, createdAt, lastUsedAt } = apiKey;
  const remove = async () => {
    const answer = await removeKey(id);
    if (!answer.ok) return setProblem(answer.problem);
    showToast(`The key “${name}” was revoked.`);
    onRemoved();
  };
  return (
    <li>
      <span className="name">{name}</span>
      <code className="soft">{start}…</code>
      <span className="small soft">
        made {printAgo(now - Date.parse(createdAt))},{' '}
        {lastUsedAt === undefined ? 'never used' : `used ${printAgo(now - Date.parse(lastUsedAt))}`}
      </span>
      <button
        type="button"
        className="button compact danger"
        aria-label={`Revoke ${name}`}
        onClick={() => setIsAsked(true)}
      >
        Revoke
      </button>
      {isAsked && (
        <Dialog
          title={`Revoke “${name}”?`}
          onClose={() => setIsAsked(false)}
          actions={
            <>
              <button type="button" className="button" onClick={() => setIsAsked(false)}>
                Keep it
              </button>
              <button type="button" className="button danger" onClick={() => void remove()}>
                Revoke it
              </button>
            </>
          }
        >
          <p>Anything that uses it will be refused from then on.</p>
          {problem && <ProblemNotice problem={problem} />}
        </Dialog>
      )}
    </li>
  );
}
