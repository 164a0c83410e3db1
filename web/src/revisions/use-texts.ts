/** The texts of two revisions, which never change once they are there. */
import { useAnswer } from '../parts/use-answer.ts';
import { configurationOf, type Target } from '../service/calls.ts';
import type { Answer, Problem } from '../service/request.ts';
import type { Pair } from './texts.ts';

export type Texts = { from: string; to: string };

/** Undefined until the texts of this pair are loaded. */
export function useTexts(target: Target, pair: Pair): { texts?: Texts; problem?: Problem } {
  const key = `${pair.from} ${pair.to}`;
  const { value, problem } = useAnswer(key, async (): Promise<Answer<{ key: string; texts: Texts }>> => {
    const [from, to] = await Promise.all([textOf(target, pair.from), textOf(target, pair.to)]);
    if (!from.ok) return from;
    if (!to.ok) return to;
    return { ok: true, value: { key, texts: { from: from.value, to: to.value } } };
  });
  if (problem) return { problem };
  return value?.key === key ? { texts: value.texts } : {};
}

async function textOf(target: Target, revision: number): Promise<Answer<string>> {
  const answer = await configurationOf(target, revision);
  return answer.ok ? { ok: true, value: answer.value.yaml.replaceAll(/\r\n?/g, '\n') } : answer;
}
