/** `berth preview FILE`: shows what an update would do to each pod. */
import type { AnswerOf } from '../../client/client.ts';
import { statuses } from '../arguments.ts';
import { type Paint, printable } from '../render.ts';
import { type Run, targetOf } from './command.ts';

export const preview: Run = async (context) => {
  const yaml = await context.read(context.given[0]!);
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const { connection, terminal, signal } = context;
  const { environment } = target;
  const query = environment === undefined ? {} : { environment };
  const answer = await connection.client.call('previewUpdate', { body: yaml, query, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  terminal.print(describePreview(answer.value, terminal.paint));
  return answer.value.refusal ? statuses.refused : statuses.done;
};

const colours = { added: 'green', removed: 'red', unchanged: 'dim' } as const;

type Previewed = Pick<AnswerOf<'previewUpdate'>, 'pods' | 'interrupted' | 'refusal' | 'warnings'>;

export function describePreview({ pods, interrupted, refusal, warnings }: Previewed, paint: Paint): string {
  const lines = pods.flatMap(({ name, change, because, keepsData, volumes, warnings }) => [
    `${paint(colours[change as keyof typeof colours] ?? 'yellow', change.padEnd(10))} ${printable(name)}: ${printable(because)}`,
    ...(volumes.length > 0 && !keepsData ? ['           its data does not stay'] : []),
    ...warnings.map(({ message, hint }) => `           ${printable(message)}${hint ? ` (${printable(hint)})` : ''}`),
  ]);
  if (interrupted.length > 0) lines.push(`Temporarily unavailable: ${interrupted.map(printable).join(', ')}.`);
  lines.push(...warnings.map((warning) => `warning: ${printable(warning)}`));
  if (refusal) lines.push(paint('red', `The update would be refused now: ${printable(refusal.error)}`));
  return `${lines.join('\n')}\n`;
}
