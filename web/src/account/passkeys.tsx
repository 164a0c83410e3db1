/** Passkeys of the account: signing in with the device instead of a password. */
import { useState } from 'react';
import { Loading } from '../parts/loading.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo } from '../parts/time.ts';
import { useAnswer } from '../parts/use-answer.ts';
import type { Answer, Problem } from '../service/request.ts';
import { deviceIn } from './device.ts';
import { addPasskey, listPasskeys, removePasskey } from './passkey-calls.ts';

export function Passkeys() {
  const now = useNow(60_000);
  const { value, problem, reload } = useAnswer('passkeys', listPasskeys);
  const [refusal, setRefusal] = useState<Problem>();
  const change = async (answer: Promise<Answer<unknown>>) => {
    setRefusal(undefined);
    const done = await answer;
    if (!done.ok) setRefusal(done.problem);
    reload();
  };
  const shown = refusal ?? problem;
  return (
    <section className="panel padded stack" aria-label="Passkeys">
      <div className="row">
        <h2>Passkeys</h2>
        <button
          type="button"
          className="button compact push"
          onClick={() => void change(addPasskey(deviceIn(navigator.userAgent) ?? 'This device'))}
        >
          Add this device
        </button>
      </div>
      <p className="small soft">Sign in with your fingerprint, face or the lock of your device.</p>
      {shown && <ProblemNotice problem={shown} />}
      {!value && !problem && <Loading what="the passkeys" height="3rem" />}
      {value?.length === 0 && <p className="soft">No passkeys yet.</p>}
      <ul className="key-rows">
        {value?.map(({ id, name, createdAt }) => (
          <li key={id}>
            <span className="name">{name || 'Passkey'}</span>
            <span className="small soft">added {printAgo(now - Date.parse(createdAt))}</span>
            <button
              type="button"
              className="button compact danger"
              aria-label={`Remove ${name || 'the passkey'}`}
              onClick={() => void change(removePasskey(id))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
