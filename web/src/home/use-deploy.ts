/** Starts a deployment and goes to its page. */
import { useRef, useState } from 'react';
import { rememberDeployment } from '../remembered/remembered.ts';
import { go } from '../routing/router.tsx';
import { pathOf } from '../routing/routes.ts';
import { startDeployment } from '../service/calls.ts';
import type { Problem } from '../service/request.ts';
import { documentOf } from '../stored-texts/names.ts';
import { storeText } from '../stored-texts/use-stored-text.ts';

export function useDeploy() {
  const [isDeploying, setIsDeploying] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const sent = useRef<{ text: string; key: string }>(null);

  const deploy = async (text: string) => {
    if (isDeploying) return;
    setIsDeploying(true);
    setProblem(undefined);
    // If the response was lost, sending the same text with the same key does not start a second deployment.
    if (sent.current?.text !== text) sent.current = { text, key: newKey() };
    const answer = await startDeployment(text, sent.current.key);
    setIsDeploying(false);
    if (!answer.ok) return setProblem(answer.problem);
    sent.current = null;
    const { applicationName, environment, url, sessionToken } = answer.value;
    rememberDeployment({ applicationName, environment, url, sessionToken, startedAt: new Date().toISOString() });
    storeText(documentOf({ environment, applicationName }), text);
    go(pathOf({ page: 'deployment', environment, applicationName, tab: 'overview' }));
    window.scrollTo(0, 0);
  };
  return { deploy, isDeploying, problem };
}

/** 128 random bits. (`crypto.randomUUID` is not there on plain http.) */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
