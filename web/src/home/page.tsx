/** The start page: write or choose a configuration, preview it, deploy it. */
import { useRef, useState } from 'react';
import { firstErrorIn, useChecked } from '../checker/use-checked.ts';
import { RecentDeployments } from '../deployments/recent.tsx';
import type { EditorHandle } from '../editor/editor.tsx';
import { EditorFrame } from '../editor/frame.tsx';
import { useCommands } from '../palette/commands.ts';
import { modifierKey } from '../palette/modifier-key.ts';
import { CopyButton } from '../parts/copy.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { showToast } from '../parts/toast.tsx';
import { ExampleBar } from './example-bar.tsx';
import { DeployButton, Preview } from './preview.tsx';
import { replaceStart, useStartDraft, writeStart } from './start-draft.ts';
import { useDeploy } from './use-deploy.ts';
import './home.css';

export function HomePage() {
  const { text, earlier, source } = useStartDraft();
  const checked = useChecked(text);
  const editor = useRef<EditorHandle>(null);
  const { deploy, isDeploying, problem } = useDeploy();
  const [line, setLine] = useState<number>();

  const submit = () => {
    const firstError = firstErrorIn(text, checked);
    if (firstError) editor.current?.jumpTo(firstError);
    else void deploy(text);
  };

  useCommands([
    { title: 'Deploy', group: 'Editor', keys: `${modifierKey} Enter`, act: submit },
    { title: 'Find in the text', group: 'Editor', keys: `${modifierKey} F`, act: () => editor.current?.find() },
  ]);

  return (
    <div className="page home">
      <div className="home-lead">
        <h1>One YAML in, a live URL out</h1>
        <p>
          Describe your application, press Deploy, and it is on the web seconds later: pages, programs, databases. No
          account needed.
        </p>
      </div>
      <ExampleBar text={text} earlier={earlier} />
      {source !== undefined && (
        <p className="notice calm source">
          <span>
            From <code>{source}</code>. It may come from an untrusted source: read it before you deploy it.
          </span>
        </p>
      )}
      <div className="workbench">
        <EditorFrame
          text={text}
          checked={checked}
          label="Configuration"
          onChange={writeStart}
          onLine={setLine}
          onFile={openDropped}
          onSubmit={submit}
          handle={editor}
          action={<DeployButton checked={checked} isDeploying={isDeploying} onDeploy={submit} />}
          notice={problem && <ProblemNotice problem={problem} />}
        />
        <Preview
          checked={checked}
          isDeploying={isDeploying}
          line={line}
          onDeploy={submit}
          onJump={(place) => editor.current?.jumpTo(place)}
        />
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

function openDropped(text: string, name: string): void {
  const undo = replaceStart(text);
  showToast(`${name} is in the editor.`, { title: 'Undo', act: undo });
}

const curlCommand = `curl -X POST ${location.origin}/startUserDeployment \\
  -H 'Content-Type: text/x-yaml' --data-binary @app.yaml`;
