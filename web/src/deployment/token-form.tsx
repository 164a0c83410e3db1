/** A deployment that was started elsewhere, by curl or the command line, is opened here with its session token. */
import { Field, Form } from '../account/form.tsx';
import { rememberDeployment } from '../remembered/remembered.ts';
import { statusOf, type Target } from '../service/calls.ts';
import type { Problem } from '../service/request.ts';

type TokenFormProps = { target: Target; onOpened: () => void };

export function TokenForm({ target: { applicationName, environment }, onOpened }: TokenFormProps) {
  return (
    <div className="panel padded token-form">
      <Form
        onSubmit={({ token = '' }) => statusOf({ applicationName, environment, sessionToken: token.trim() })}
        onDone={({ url, createdAt }, { token = '' }) => {
          const sessionToken = token.trim();
          rememberDeployment({ applicationName, environment, url, sessionToken, startedAt: createdAt });
          onOpened();
        }}
        explain={(problem) => (problem.status === 404 ? wrongToken(problem) : problem)}
        submit="Open it"
      >
        <Field
          label="Session token"
          name="token"
          type="password"
          autoComplete="off"
          required
          pattern="\s*berth_\S+\s*"
          title="It begins with berth_"
          placeholder="berth_…"
          hint="The response to the start contains it, and berth up saves it in .berth/config.json. This browser will store it too."
        />
      </Form>
    </div>
  );
}

function wrongToken({ status, code }: Problem): Problem {
  return { status, code, error: 'This token does not belong to a deployment at this address.' };
}
