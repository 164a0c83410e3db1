/** The output of image builds that the service runs. */
import { problemOf } from '../../client/request.ts';
import { keepColors } from '../../lib/terminal-colors.ts';
import { statuses } from '../arguments.ts';
import { printable } from '../render.ts';
import type { Context, Target } from './command.ts';

type Reading = {
  token?: string | undefined;
  isFollowed: boolean;
  hasColors?: boolean;
  signal: AbortSignal;
  print: (line: string) => void;
};

/** Calls `print` with each line of the last build. With `isFollowed`, returns when the build ends. Returns the response, which may be a refusal. */
async function readBuildLog(
  { connection }: Pick<Context, 'connection'>,
  target: Target,
  { isFollowed, hasColors = false, print, ...request }: Reading,
): ReturnType<typeof connection.client.open<'getDeploymentLogs'>> {
  const asked = { ...(isFollowed && { follow: 'true' as const }), ...(hasColors && { colors: 'true' as const }) };
  const query = { ...target, build: 'true' as const, ...asked };
  const answer = await connection.client.open('getDeploymentLogs', { query, ...request });
  if (!answer.ok || answer.value.status >= 400) return answer;
  let rest = '';
  for await (const text of answer.value.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    lines.forEach(print);
  }
  if (rest !== '') print(rest);
  return answer;
}

/** `berth logs --build`. Returns the exit status. */
export async function printBuildLog(context: Context, target: Target): Promise<number> {
  const { terminal, options, signal } = context;
  const { isRaw, hasColors } = terminal;
  const print = (line: string) => terminal.line(isRaw ? line : hasColors ? keepColors(line) : printable(line));
  const isFollowed = options.follow === true;
  const answer = await readBuildLog(context, target, { isFollowed, hasColors, signal, print });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { value: response } = answer;
  if (response.status < 400) return statuses.done;
  return terminal.refuse(problemOf(response, await response.json().catch(() => undefined)));
}

/** Shows the output of a build while its deployment is followed. A deployment without a build shows nothing. */
export async function showBuild(
  context: Context,
  target: Target,
  following: { token: string; signal: AbortSignal },
): Promise<void> {
  const { terminal } = context;
  const print = (line: string) => terminal.printNote(`  ${terminal.paintNotes('dim', printable(line))}`);
  // The deployment's state reports the result of the build.
  await readBuildLog(context, target, { isFollowed: true, ...following, print }).catch(() => {});
}
