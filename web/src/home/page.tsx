/** The start: write or choose a configuration, see what it makes, deploy it. */
import { useCallback, useRef, useState } from 'react';
import { firstErrorIn, useChecked } from '../checker/use-checked.ts';
import { RecentDeployments } from '../deployments/recent.tsx';
import type { EditorHandle } from '../editor/editor.tsx';
import { EditorFrame } from '../editor/frame.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { keepDraft, readDraft } from './draft.ts';
import { ExampleBar } from './example-bar.tsx';
import { firstText } from './examples.ts';
import { DeployButton, Preview } from './preview.tsx';
import { useDeploy } from './use-deploy.ts';
import './home.css';

export function HomePage() {
  const [text, setText] = useState(() => readDraft() ?? firstText);
  const checked = useChecked(text);
  const editor = useRef<EditorHandle>(null);
  const { deploy, isDeploying, problem } = useDeploy();

  const change = useCallback((changed: string) => {
    setText(changed);
    keepDraft(changed);
  }, []);
  const submit = () => {
    const firstError = firstErrorIn(text, checked);
    if (firstError) editor.current?.jumpTo(firstError);
    else void deploy(text);
  };

  return (
    <div className="page">
      <div className="home-lead">
        <h1>One YAML in, a live URL out</h1>
        <p>
          Describe your application, press Deploy, and it is on the web seconds later: pages, programs, databases. No
          account needed.
        </p>
      </div>
      <ExampleBar text={text} onChoose={change} />
      <div className="workbench">
        <EditorFrame
          {...{ text, checked }}
          label="Configuration"
          onChange={change}
          onSubmit={submit}
          handle={editor}
          action={<DeployButton {...{ checked, isDeploying }} onDeploy={submit} />}
          notice={problem && <ProblemNotice problem={problem} />}
        />
        <Preview {...{ checked, isDeploying }} onDeploy={submit} />
      </div>
      <RecentDeployments />
      <section className="home-section">
        <h2>From a terminal</h2>
        <div className="panel terminal">
          <pre tabIndex={0}>{curlCommand}</pre>
          <CopyButton text={curlCommand} what="the command" />
        </div>
      </section>
    </div>
  );
}

const curlCommand = `curl -X POST ${location.origin}/startUserDeployment \\
  -H 'Content-Type: text/x-yaml' --data-binary @app.yaml`;
