/** `berth logs` and `berth events`. */

import type { Event, LogLine } from '../../client/client.ts';
import { messagesOf } from '../../client/follow.ts';
import { problemOf } from '../../client/request.ts';
import { statuses } from '../arguments.ts';
import { type Paint, printable } from '../render.ts';
import { printBuildLog } from './build-log.ts';
import { type Context, type Run, type Target, targetOf } from './command.ts';

const streams = ['stdout', 'stderr'] as const;

export const logs: Run = async (context) => {
  const { given, options, terminal, connection, signal } = context;
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (options.build === true) return await printBuildLog(context, target);
  const { since, until, search, stream, tail, follow, previous } = options;
  const chosenStream = streams.find((name) => name === stream);
  if (stream !== undefined && !chosenStream) return terminal.fail('--stream is stdout or stderr.');
  const query = {
    ...target,
    ...(given[0] !== undefined && { pod: given[0] }),
    ...(typeof since === 'string' && { since }),
    ...(typeof tail === 'string' && { tail }),
    ...(chosenStream && { stream: chosenStream }),
  };
  const past = {
    ...(previous === true && { previous: 'true' as const }),
    ...(typeof until === 'string' && { until }),
    ...(typeof search === 'string' && { search }),
  };
  const [chosenBy] = Object.keys(past);
  if (follow && chosenBy) return terminal.fail(`--${chosenBy} selects past lines, which cannot be followed.`);
  if (!follow)
    return await printMessages(context, 'getDeploymentLogs', { ...query, ...past }, ({ event, data }) => {
      if (event === 'line') printLine(context, JSON.parse(data) as LogLine);
    });
  const lines = connection.client.logs(query, {
    signal,
    onBroken: () => terminal.printNote('The connection was lost; trying again.'),
  });
  for (;;) {
    const { done, value } = await lines.next();
    if (!done) printLine(context, value);
    else return value ? terminal.refuse(value) : statuses.interrupted;
  }
};

/** With JSON output, each line is a separate object, so that readers of a stream need not wait for its end. */
function printLine({ terminal }: Context, line: LogLine): void {
  const { at, pod, text } = line;
  if (terminal.asJson) terminal.line(JSON.stringify(line));
  else
    terminal.line(
      `${terminal.paint('dim', at)} ${podName(pod, terminal.paint)} ${terminal.isRaw ? text : printable(text)}`,
    );
}

const podColours = ['cyan', 'green', 'magenta', 'yellow', 'blue'] as const;

/** Each pod keeps its color in any order of the lines. */
function podName(pod: string, paint: Paint): string {
  const sum = [...pod].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0);
  return paint(podColours[sum % podColours.length]!, printable(pod));
}

export const events: Run = async (context) => {
  const { connection, terminal, signal, options } = context;
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (!options.follow)
    return await printMessages(context, 'getDeploymentEvents', { ...target, follow: 'false' }, ({ data }) =>
      printEvent(context, JSON.parse(data) as Event),
    );
  const reported = connection.client.events(target, {
    signal,
    onBroken: () => terminal.printNote('The connection was lost; trying again.'),
  });
  for (;;) {
    const { done, value } = await reported.next();
    if (!done) printEvent(context, value);
    else if (value) return terminal.refuse(value);
    else return signal.aborted ? statuses.interrupted : statuses.done;
  }
};

function printEvent({ terminal }: Context, event: Event): void {
  if (terminal.asJson) return void terminal.line(JSON.stringify(event));
  const pod = event.kind === 'pod' ? `${event.pod} ` : '';
  const { at, kind, message } = event as typeof event & { at: string; message: string };
  terminal.line(
    `${terminal.paint('dim', at)} ${terminal.paint('cyan', kind.padEnd(9))} ${printable(`${pod}${message}`)}`,
  );
}

/** Prints the messages of a stream that ends by itself. */
async function printMessages(
  { connection, terminal, signal }: Context,
  operation: 'getDeploymentEvents' | 'getDeploymentLogs',
  query: Target & Record<string, string>,
  print: (message: { event?: string | undefined; data: string }) => void,
): Promise<number> {
  const headers = { Accept: 'text/event-stream' };
  const answer = await connection.client.open(operation, { query, headers, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  if (answer.value.status >= 400) {
    return terminal.refuse(problemOf(answer.value, await answer.value.json().catch(() => undefined)));
  }
  for await (const messages of messagesOf(answer.value.body!)) messages.forEach(print);
  return statuses.done;
}
