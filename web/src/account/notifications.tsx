/** The account's notifications by mail and webhook, with the result of the last webhook call. */
import { useEffect, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { printAgo } from '../parts/time.ts';
import { showToast } from '../parts/toast.tsx';
import type { AnswerState } from '../parts/use-answer.ts';
import type { Notifications, NotificationsChoice } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { setNotifications, testNotifications } from './calls.ts';
import { Field, Form } from './form.tsx';
import { MadeSecret } from './made-secret.tsx';

type Kind = Notifications['mail'][number];
type Hook = NonNullable<Notifications['webhook']>;

const kinds: Record<Kind, string> = {
  failed: 'A deployment fails',
  expiring: 'A deployment is about to expire',
  domain: 'A custom domain has a problem',
  snapshot: 'A snapshot fails',
};

type NotificationsProps = { state: AnswerState<Notifications>; sendsMail: boolean };

export function NotificationsPanel({ state: { value, problem, reload }, sendsMail }: NotificationsProps) {
  const [refusal, setRefusal] = useState<Problem>();
  const [isAdding, setIsAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  // Shown at once. The next change is added to these, even before the service has responded.
  const [ticked, setTicked] = useState<{ mail?: Kind[]; webhook?: Kind[] }>({});
  const change = async (choice: NotificationsChoice, reported: string) => {
    setRefusal(undefined);
    const answer = await setNotifications(choice);
    if (answer.ok) showToast(reported);
    else {
      setRefusal(answer.problem);
      setTicked({});
    }
    reload();
  };
  const shown = refusal ?? problem;
  const webhook = value?.webhook;
  const byMail = ticked.mail ?? value?.mail ?? [];
  const byWebhook = ticked.webhook ?? webhook?.kinds ?? [];
  const chooseMail = (mail: Kind[]) => {
    setTicked((before) => ({ ...before, mail }));
    void change({ mail }, 'Saved.');
  };
  const chooseWebhook = ({ url }: Hook, kinds: Kind[]) => {
    setTicked((before) => ({ ...before, webhook: kinds }));
    void change({ webhook: { url, kinds } }, 'Saved.');
  };
  return (
    <section className="panel padded stack" aria-label="Notifications">
      <h2>Notifications</h2>
      {shown && <ProblemNotice problem={shown} />}
      {value && (
        <table className="notification-kinds">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">E-mail</th>
              <th scope="col">Webhook</th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(kinds) as Kind[]).map((kind) => (
              <tr key={kind}>
                <th scope="row">{kinds[kind]}</th>
                <td>
                  <KindBox
                    label={`${kinds[kind]}: by e-mail`}
                    isChosen={sendsMail && byMail.includes(kind)}
                    isDisabled={!sendsMail}
                    onChoose={(isChosen) => chooseMail(withKind(byMail, kind, isChosen))}
                  />
                </td>
                <td>
                  <KindBox
                    label={`${kinds[kind]}: by webhook`}
                    isChosen={webhook !== undefined && byWebhook.includes(kind)}
                    isDisabled={!webhook}
                    onChoose={(isChosen) => webhook && chooseWebhook(webhook, withKind(byWebhook, kind, isChosen))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!sendsMail && <p className="small soft">This server does not send email.</p>}
      {value && !webhook && (
        <div className="row">
          <p className="small soft">A webhook is an address of yours that is called with a signed JSON document.</p>
          <button type="button" className="button compact push" onClick={() => setIsAdding(true)}>
            Add a webhook
          </button>
        </div>
      )}
      {webhook && (
        <Webhook
          webhook={webhook}
          onReload={reload}
          onRemove={() => {
            setTicked(({ mail }) => (mail ? { mail } : {}));
            void change({ webhook: null }, 'The webhook was removed.');
          }}
          onResume={() =>
            void change({ webhook: { url: webhook.url, kinds: webhook.kinds } }, 'The webhook is switched on again.')
          }
        />
      )}
      {isAdding && (
        <Dialog title="Add a webhook" onClose={() => setIsAdding(false)}>
          <Form
            submit="Add it"
            onSubmit={({ url = '' }) => setNotifications({ webhook: { url, kinds: Object.keys(kinds) as Kind[] } })}
            onDone={({ secret }) => {
              setIsAdding(false);
              setSecret(secret);
              reload();
            }}
          >
            <Field
              label="Address"
              name="url"
              type="url"
              required
              maxLength={500}
              placeholder="https://example.com/berth"
              hint="It has to be on the public internet, with HTTPS."
            />
          </Form>
        </Dialog>
      )}
      {secret !== undefined && (
        <MadeSecret
          title="The secret of your webhook"
          what="the secret"
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          It is shown only once. Calls are signed with it (<code>Berth-Signature</code>): check that they come from
          here.
        </MadeSecret>
      )}
    </section>
  );
}

type WebhookProps = { webhook: Hook; onReload: () => void; onRemove: () => void; onResume: () => void };

function Webhook({ webhook, onReload, onRemove, onResume }: WebhookProps) {
  const now = useNow(1_000);
  const { url, answer, triedAt, disabledAt } = webhook;
  const [problem, setProblem] = useState<Problem>();
  /** The time of the last attempt when the test was requested. */
  const [before, setBefore] = useState<{ triedAt: string | undefined }>();
  const isTesting = before !== undefined && before.triedAt === triedAt;
  useEffect(() => {
    if (!isTesting) return undefined;
    const timer = setInterval(onReload, 1_000);
    return () => clearInterval(timer);
  }, [isTesting, onReload]);
  const test = async () => {
    setProblem(undefined);
    const sent = await testNotifications();
    if (sent.ok) setBefore({ triedAt });
    else setProblem(sent.problem);
  };
  return (
    <div className="stack webhook">
      {problem && <ProblemNotice problem={problem} />}
      {disabledAt !== undefined && (
        <div className="notice warn">
          <strong>The webhook was switched off</strong>
          <p className="small">Several consecutive notifications failed.</p>
          <p>
            <button type="button" className="button compact" onClick={onResume}>
              Switch it on again
            </button>
          </p>
        </div>
      )}
      <p>
        <code>{url}</code>
      </p>
      <div className="row">
        <p className="small soft" role="status">
          {isTesting
            ? 'Sending a test …'
            : answer === undefined || triedAt === undefined
              ? 'Nothing has been sent yet.'
              : `${answer} (${printAgo(now - Date.parse(triedAt))})`}
        </p>
        <span className="row push">
          <button
            type="button"
            className="button compact"
            disabled={isTesting || disabledAt !== undefined}
            onClick={() => void test()}
          >
            Send a test
          </button>
          <button type="button" className="button compact danger" onClick={onRemove}>
            Remove webhook
          </button>
        </span>
      </div>
    </div>
  );
}

type KindBoxProps = {
  label: string;
  isChosen: boolean;
  isDisabled: boolean;
  onChoose: (isChosen: boolean) => void;
};

function KindBox({ label, isChosen, isDisabled, onChoose }: KindBoxProps) {
  return (
    <label className="kind-box">
      <input
        type="checkbox"
        aria-label={label}
        checked={isChosen}
        disabled={isDisabled}
        onChange={({ target }) => onChoose(target.checked)}
      />
    </label>
  );
}

function withKind(chosen: readonly Kind[], kind: Kind, isChosen: boolean): Kind[] {
  const others = chosen.filter((each) => each !== kind);
  return isChosen ? [...others, kind] : others;
}
