/** `berth up`: a folder becomes a live deployment, or the next revision of the one that it has started. */
import type { Problem } from '../../client/request.ts';
import { printWarnings } from '../../config/diagnostics/diagnostics.ts';
import { parseConfiguration } from '../../config/parse.ts';
import type { Project } from '../../folder/project.ts';
import type { Docker } from '../../push/docker/docker-command.ts';
import { PushFault } from '../../push/push-fault.ts';
import { statuses } from '../arguments.ts';
import type { Connection } from '../connect.ts';
import { printable } from '../render.ts';
import type { SavedSession } from '../saved-session.ts';
import { untilChanged } from '../up/folder-changes.ts';
import { contentOf, skipUnchanged } from '../up/last-sent.ts';
import { makeImages } from '../up/make-images.ts';
import { printMissing, printMissingFiles } from '../up/missing-values.ts';
import { readProject } from '../up/read-project.ts';
import { chooseBuilder, type Drafted, draftProject, listSent, printSent, sendSource } from '../up/send-source.ts';
import type { UpContext } from '../up/up-context.ts';
import { isPossible, planOf, printPlan } from '../up/up-plan.ts';
import { openSession } from '../up/up-session.ts';
import { deployShipment } from './deploy.ts';
import { logs } from './logs.ts';

/** The number of shown lines of a failed build. */
const shownLines = 20;

export async function up(given: UpContext): Promise<number> {
  const context = withSavedSession(given);
  try {
    const status = await goUp(context, { isFirst: true });
    if (status !== statuses.done || given.options['dry-run'] === true) return status;
    const { url } = context.connection.saved;
    if (given.options.open === true && url !== undefined && !(await given.open(url)))
      given.terminal.printNote('No browser could be started; open the address yourself.');
    if (given.options.watch === true) return await watch(context);
    if (given.options.follow === true)
      return await logs({ ...context, given: [], options: { ...given.options, follow: true } });
    return status;
  } catch (error) {
    if (!given.signal.aborted) throw error;
    return statuses.interrupted;
  }
}

/** Later steps use the session that earlier steps have saved. */
function withSavedSession(context: UpContext): UpContext {
  const current: UpContext = {
    ...context,
    async saveSession(saved) {
      await context.saveSession(saved);
      current.connection = connectionOf(current.connection, saved);
    },
  };
  return current;
}

function connectionOf(connection: Connection, saved: SavedSession): Connection {
  const token = saved.sessionToken ?? connection.token;
  const { applicationName, environment } = saved;
  const isAccount = saved.sessionToken === undefined && environment !== undefined;
  return {
    ...connection,
    saved,
    token,
    client: connection.as(token),
    application: applicationName === undefined ? undefined : { applicationName, ...(isAccount && { environment }) },
  };
}

type Turn = {
  /** The plan is shown and confirmed. */
  isFirst: boolean;
};

/** Once, from the folder to what runs. */
async function goUpOnce(context: UpContext, { isFirst }: Turn): Promise<number> {
  const { terminal, options } = context;
  const read = await readProject(context);
  if (typeof read === 'string') return terminal.fail(read);
  const builder = await chooseBuilder(context, read.project);
  const { project, rules }: Drafted = builder.kind === 'service' ? draftProject(read.project) : read;
  const plan = planOf(project);
  const { application } = context.connection;
  const isUpdate = application?.applicationName === project.name && options.new !== true;
  const { server } = context.connection;
  if (isFirst || plan.refusals.length > 0)
    terminal.printNote(printPlan(plan, terminal.paintNotes, { server, isUpdate }));
  if (!isPossible(plan) || options['dry-run'] === true) {
    terminal.json(plan);
    if (plan.refusals.length === 0) {
      for (const line of printMissing(project.questions, project.sources)) terminal.printNote(line);
      for (const line of printMissingFiles(project.missingFiles)) terminal.printNote(line);
    }
    return isPossible(plan) ? statuses.done : statuses.refused;
  }
  const sent = builder.kind === 'service' ? await listSent({ ...read, project }, rules) : undefined;
  if (typeof sent === 'string') return terminal.fail(sent);
  if (sent && isFirst) terminal.printNote(`  send     ${printSent(sent)}; the images are built at ${server}`);
  // Without a terminal, the command counts as confirmed.
  if (isFirst && options.yes !== true && (await context.confirm('Go on?', { isYes: true })) === false) {
    terminal.printNote('Nothing was changed.');
    return context.signal.aborted ? statuses.interrupted : statuses.refused;
  }
  if (sent) return await sendSource(context, { ...read, project }, sent);
  const docker = builder.kind === 'local' ? builder.docker : undefined;
  return await makeAndDeploy(context, project, { isPlanShown: isFirst, docker });
}

async function makeAndDeploy(
  context: UpContext,
  project: Project,
  { isPlanShown, docker }: { isPlanShown: boolean; docker: Docker | undefined },
): Promise<number> {
  const { terminal } = context;
  const session = docker && project.images.length > 0 ? await openSession(context) : undefined;
  if (session && 'error' in session) return terminal.refuse(session);
  const images = docker && session ? await makeImages(context, project, session, docker) : [];
  // A session that was made for the images is new already.
  const options = session ? { ...context.options, new: false } : context.options;
  const connection = session?.connection ?? context.connection;
  const json = (value: unknown) => terminal.json({ ...(value as object), images });
  const deploying = { ...context, connection, options, terminal: { ...terminal, json } };
  const content = contentOf(project, images);
  const isMeant = context.options.new === true || context.options.force === true;
  const kept = isMeant ? undefined : await skipUnchanged(deploying, content);
  // The plan has already shown them with their places in the folder's files.
  const shown = isPlanShown ? printWarnings(parseConfiguration(project.document).diagnostics) : [];
  return kept ?? (await deployShipment(deploying, { body: project.document, content, shown }));
}

/** An image that cannot be made, or a file that cannot be read, is a refusal. */
async function goUp(context: UpContext, turn: Turn): Promise<number> {
  try {
    return await goUpOnce(context, turn);
  } catch (error) {
    if (!(error instanceof PushFault)) throw error;
    const { terminal } = context;
    for (const line of error.output.slice(-shownLines)) terminal.printNote(`  | ${printable(line)}`);
    const { message, hint, isUnreachable } = error;
    const refused = isUnreachable ? { status: 0, code: 'unreachable' } : { status: 400, code: 'image_not_made' };
    const problem: Problem = { ...refused, error: message, ...(hint && { hint }) };
    return terminal.refuse(problem);
  }
}

/** Deploys again after each change, until Ctrl-C. A failure is corrected by the next change. */
async function watch(context: UpContext): Promise<number> {
  const { terminal, folder, signal } = context;
  terminal.printNote(`Watching ${printable(folder)}. Ctrl-C stops watching; the deployment keeps running.`);
  for (;;) {
    const changed = await untilChanged(folder, signal);
    if (changed === undefined) return statuses.interrupted;
    terminal.printNote(`${printable(changed)} has changed.`);
    await goUp(context, { isFirst: false });
  }
}
