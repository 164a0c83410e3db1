/**
 * The custom domains of a claimed deployment: their states, the DNS records to set, and the reasons why one is not live
 * yet.
 */
import { useState } from 'react';
import { Field, Form } from '../account/form.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { addDomain, checkDomain, listDomains, removeDomain, type Target } from '../service/calls.ts';
import type { Domain } from '../service/records.ts';
import type { Answer, Problem } from '../service/request.ts';
import './domains.css';
import { usePending } from '../parts/use-pending.ts';

type DomainsProps = { target: Target };

export function Domains({ target }: DomainsProps) {
  const { value, problem, reload } = useAnswer('domains', () => listDomains(target));
  const [isAdding, setIsAdding] = useState(false);
  const names =
    value?.domains.filter(({ state, redirectTo }) => state !== 'released' && redirectTo === undefined) ?? [];
  return (
    <section className="panel padded stack domains" aria-label="Custom domains">
      <div className="row">
        <h2>Custom domains</h2>
        <button type="button" className="button compact push" onClick={() => setIsAdding(true)}>
          Add a domain
        </button>
      </div>
      {problem && <ProblemNotice problem={problem} />}
      {value?.domains.length === 0 && (
        <p className="soft small">None yet. Your own domain works here once you set two DNS records.</p>
      )}
      {value && value.domains.length > 0 && (
        <ul className="domain-rows">
          {value.domains.map((domain) => (
            <DomainRow key={domain.domain} domain={domain} target={target} onChange={reload} />
          ))}
        </ul>
      )}
      {isAdding && (
        <Dialog title="Add a custom domain" onClose={() => setIsAdding(false)}>
          <Form
            submit="Add it"
            onSubmit={({ domain = '', redirectTo = '' }) => addDomain(target, domain, redirectTo || undefined)}
            onDone={() => {
              setIsAdding(false);
              reload();
            }}
          >
            <Field
              label="Name"
              name="domain"
              required
              maxLength={250}
              autoComplete="off"
              placeholder="shop.example.com"
            />
            {names.length > 0 && (
              <div className="field">
                <label htmlFor="redirect-to">Its visitors</label>
                <select id="redirect-to" name="redirectTo" className="input">
                  <option value="">see the application</option>
                  {names.map(({ domain }) => (
                    <option key={domain} value={domain}>
                      are sent on to {domain}
                    </option>
                  ))}
                </select>
              </div>
            )}
          </Form>
        </Dialog>
      )}
    </section>
  );
}

const tones: Record<Domain['state'], string> = {
  pending: 'waiting',
  verified: 'waiting',
  certifying: 'busy',
  live: 'ready',
  failing: 'alarm',
  released: 'alarm',
};

type DomainRowProps = DomainsProps & { domain: Domain; onChange: () => void };

function DomainRow({ domain: shown, target, onChange }: DomainRowProps) {
  const { domain, state, reason, redirectTo, records, url } = shown;
  const [problem, setProblem] = useState<Problem>();
  const [isAsking, whileAsking] = usePending();
  const [isAsked, setIsAsked] = useState(false);
  const change = async (question: Promise<Answer<unknown>>, reported: string) => {
    const answer = await whileAsking(question);
    setProblem(answer.ok ? undefined : answer.problem);
    if (answer.ok) showToast(reported);
    onChange();
  };
  const hasToBeSet = state === 'pending' || state === 'verified' || state === 'failing';
  return (
    <li>
      <div className="row">
        <a className="name" href={url} target="_blank" rel="noreferrer">
          {domain}
        </a>
        <span className={`state ${tones[state]}`}>{state}</span>
        {redirectTo !== undefined && <span className="small soft">to {redirectTo}</span>}
        <span className="row push">
          {state !== 'released' && (
            <>
              <button
                type="button"
                className="button compact"
                disabled={isAsking}
                onClick={() => void change(checkDomain(target, domain), `DNS of ${domain} was looked up.`)}
              >
                {isAsking ? 'Looking …' : 'Check now'}
              </button>
              <button
                type="button"
                className="button compact danger"
                aria-label={`Remove ${domain}`}
                onClick={() => setIsAsked(true)}
              >
                Remove
              </button>
            </>
          )}
        </span>
      </div>
      {reason !== undefined && <p className="small reason">{reason}</p>}
      {hasToBeSet && (
        <dl className="records" aria-label={`Records of ${domain}`}>
          {records.map(({ type, name, value }) => (
            <div key={`${type} ${value}`}>
              <dt>
                <span className="soft">{type}</span> <code>{name}</code>
                <CopyButton text={name} what={`the name of the ${type} record`} />
              </dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} what={`the ${type} record`} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {problem && <ProblemNotice problem={problem} />}
      {isAsked && (
        <Dialog
          title={`Remove ${domain}?`}
          onClose={() => setIsAsked(false)}
          actions={
            <>
              <button type="button" className="button" onClick={() => setIsAsked(false)}>
                Keep it
              </button>
              <button
                type="button"
                className="button danger"
                onClick={() => {
                  setIsAsked(false);
                  void change(removeDomain(target, domain), `${domain} is removed.`);
                }}
              >
                Remove it
              </button>
            </>
          }
        >
          <p>It will no longer point here. No other account can use it for seven days.</p>
        </Dialog>
      )}
    </li>
  );
}
