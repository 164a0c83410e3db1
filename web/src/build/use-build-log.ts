/** The output of the build of a revision, as it is written. */
import { useEffect, useState } from 'react';
import { problemOf } from '../../../src/client/request.ts';
import { queryOf, type Target } from '../service/calls.ts';
import { open, type Problem } from '../service/request.ts';

export type BuildText = { text: string; isComplete: boolean; problem?: Problem };

const retryMs = 2_000;
const none: BuildText = { text: '', isComplete: false };

export function useBuildLog(target: Target, revision: number): BuildText {
  const { applicationName, environment, sessionToken } = target;
  const [state, setState] = useState(none);

  useEffect(() => {
    const stop = new AbortController();
    setState(none);
    void read();
    return () => stop.abort();

    async function read(): Promise<void> {
      const query = {
        ...queryOf({ applicationName, environment, sessionToken }),
        ...({ build: 'true', colors: 'true', follow: 'true', revision: String(revision) } as const),
      };
      while (!stop.signal.aborted) {
        const answer = await open('getDeploymentLogs', { query, token: sessionToken, signal: stop.signal });
        if (answer.ok && answer.value.status >= 400) {
          const problem = problemOf(answer.value, await answer.value.json().catch(() => undefined));
          return setState((before) => ({ ...before, problem }));
        }
        if (answer.ok && answer.value.body && (await take(answer.value.body))) return;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }

    /** Returns whether the build has ended. A connection that breaks is opened again, and starts at the first line. */
    async function take(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<boolean> {
      let text = '';
      try {
        for await (const piece of body.pipeThrough(new TextDecoderStream())) {
          text += piece;
          setState({ text, isComplete: false });
        }
      } catch {
        return false;
      }
      if (!stop.signal.aborted) setState({ text, isComplete: true });
      return true;
    }
  }, [applicationName, environment, sessionToken, revision]);

  return state;
}
