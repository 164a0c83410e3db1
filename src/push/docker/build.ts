/** Builds an image with the user's Docker: with BuildKit if available, or else with the classic builder. */
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { isSecretName } from '../../config/variables/secret-names.ts';
import type { Build } from '../../folder/project.ts';
import { type BuildContext, readBuildContext } from '../layers/build-context.ts';
import { berthFolder, packEntries } from '../layers/folder-listing.ts';
import { PushFault } from '../push-fault.ts';
import type { Docker } from './docker-command.ts';

export type Building = {
  /** The server's platform: `linux/amd64`. */
  platform: string;
  onContext(context: BuildContext): void;
  onLine(line: string): void;
};

/** @returns the id of the image. Throws a fault with the last lines of the build when it fails. */
export async function buildImage(
  docker: Docker,
  build: Build,
  { platform, onContext, onLine }: Building,
): Promise<string> {
  refuseUnknown(docker, build);
  const scratch = await mkdtemp(join(tmpdir(), 'berth-build-'));
  try {
    const context = build.isRemote ? undefined : await readBuildContext(build);
    if (context) onContext(context);
    const idFile = join(scratch, 'id');
    const files = await writeSecrets(build, scratch);
    const additionalContexts = await withoutSessionFiles(checkedContexts(build.additionalContexts), scratch);
    const cwd = join(scratch, 'empty');
    await mkdir(cwd);
    const given = { ...build, additionalContexts };
    const { words, env } = buildArguments(docker, given, { platform, idFile, secretFiles: files });
    const dockerfile = context?.dockerfile ?? build.dockerfile;
    const place = [...(dockerfile === undefined ? [] : ['-f', dockerfile]), context ? '-' : build.context];
    const { status, lines } = await docker.run([...words, ...place], {
      // The builder interprets many arguments as paths if a folder of that name exists.
      cwd,
      env,
      onLine,
      ...(context && { input: () => packEntries(context.sent) }),
    });
    if (status !== 0) throw buildFault(docker, lines);
    return (await readFile(idFile, 'utf8')).trim();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** PURE. Throws PushFault for an additional context that the builder could interpret as another folder. */
export function checkedContexts(contexts: Build['additionalContexts']): Build['additionalContexts'] {
  for (const [name, place] of Object.entries(contexts))
    if (name.includes('=') || !(isAbsolute(place) || /^(?:[a-z][a-z0-9+.-]*:\/\/|git@|github\.com\/)/.test(place)))
      throw new PushFault(`The build context ${JSON.stringify(name)} is neither an absolute path nor an address.`);
  return contexts;
}

type Prepared = { platform: string; idFile: string; secretFiles: Readonly<Record<string, string>> };

/**
 * PURE. Values that may be secret are passed in the environment, because arguments of a command are visible to other
 * users of the machine. Others are not, because the names come from a project that may have been cloned.
 */
export function buildArguments(
  { platform: own, hasBuildKit }: Pick<Docker, 'platform' | 'hasBuildKit'>,
  build: Build,
  { platform, idFile, secretFiles }: Prepared,
): { words: string[]; env: Record<string, string> } {
  const env: Record<string, string> = hasBuildKit ? {} : { DOCKER_BUILDKIT: '0' };
  const words = hasBuildKit ? ['buildx', 'build', '--load', '--progress=plain'] : ['build', '--force-rm'];
  words.push('--iidfile', idFile);
  // With attestations, each image would be an index.
  if (hasBuildKit) words.push('--provenance=false');
  // The classic builder accepts this option only if the engine can pull for another platform.
  if (hasBuildKit || platform !== own) words.push('--platform', platform);
  for (const [name, value] of Object.entries(build.args)) {
    if (mayBeSecret(name, value) && !isOfPrograms(name)) {
      env[name] = value;
      words.push('--build-arg', name);
    } else words.push('--build-arg', `${name}=${value}`);
  }
  for (const [name, value] of Object.entries(build.labels)) words.push('--label', `${name}=${value}`);
  for (const host of build.extraHosts) words.push('--add-host', host.replace('=', ':'));
  for (const secret of build.secrets)
    words.push('--secret', csvOf([`id=${secret.id}`, `src=${secretFiles[secret.id]}`]));
  for (const ssh of build.ssh) words.push('--ssh', ssh);
  for (const [name, place] of Object.entries(build.additionalContexts))
    words.push('--build-context', `${name}=${place}`);
  if (build.target !== undefined) words.push('--target', build.target);
  if (build.shmSize !== undefined) words.push('--shm-size', build.shmSize);
  if (build.network !== undefined) words.push('--network', build.network);
  if (build.noCache) words.push('--no-cache');
  if (build.pull) words.push('--pull');
  return { words, env };
}

/** Named as one, or an address with a login in it. */
function mayBeSecret(name: string, value: string): boolean {
  return isSecretName(name) || /:\/\/[^/\s@]{1,1000}@/.test(value);
}

/**
 * Variables that affect Docker's command, the programs that it starts and the program loader: `LD_PRELOAD` would run
 * code of the project on this machine, before any container.
 */
function isOfPrograms(name: string): boolean {
  return /^(?:PATH$|HOME$|USER$|ENV$|IFS$|SHELL$|EDITOR$|PAGER$|TMPDIR$|LANG|LC_|LD_|DYLD_|GCONV|GLIBC|MALLOC|LOCPATH|HOSTALIASES|BASH|XDG_|SSL_|SSH_|GIT|GO|OTEL_|DOCKER|BUILD|COMPOSE|NODE_|PYTHON|PERL|RUBY|JAVA|JDK|DOTNET|CORECLR)|PROXY$/i.test(
    name,
  );
}

/** A comma in a name or path would begin another field, such as the path of another file. */
function csvOf(fields: readonly string[]): string {
  return fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

function refuseUnknown({ hasBuildKit }: Docker, build: Build): void {
  if (build.isPrivate)
    throw new PushFault(`The source ${build.context} needs its token, which a local Docker does not get.`, {
      hint: 'Build it on the server, with --remote.',
    });
  if (hasBuildKit) return;
  const needed = [
    build.secrets.length > 0 && 'secrets',
    build.ssh.length > 0 && 'ssh',
    Object.keys(build.additionalContexts).length > 0 && 'additional_contexts',
  ].filter(Boolean);
  if (needed.length === 0) return;
  throw new PushFault(`The build uses ${needed.join(' and ')}, which only BuildKit knows.`, { hint: buildKitHint });
}

const buildKitHint = 'Install the plugin docker-buildx: "docker buildx version" must succeed.';

/** How the classic builder stumbles over RUN --mount, here-documents, COPY --link and $BUILDPLATFORM. */
const onlyBuildKit = /requires? BuildKit|unknown instruction|unknown flag|failed to parse platform/i;

/** The errors of an older engine's BuildKit (20.10) for additional contexts and here-documents. */
const laterEngine = /unsupported frontend capability|dockerfile parse error .*unknown instruction/i;

/** PURE. `lines`: the output of the build. */
export function buildFault({ hasBuildKit }: Pick<Docker, 'hasBuildKit'>, lines: readonly string[]): PushFault {
  const output = lines.filter(isWorthReading);
  if (hasBuildKit && output.some((line) => laterEngine.test(line)))
    return new PushFault('The build has failed: this Docker engine may be too old for its features.', {
      output,
      hint: 'Docker 23 and newer know further contexts and here-documents.',
    });
  if (hasBuildKit || !output.some((line) => onlyBuildKit.test(line)))
    return new PushFault('The build has failed.', { output });
  return new PushFault('The build has failed: its Dockerfile may need BuildKit, which is not here.', {
    output,
    hint: buildKitHint,
  });
}

/** Writes each secret to a file that only its owner can read. */
async function writeSecrets({ secrets }: Build, scratch: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [index, secret] of secrets.entries()) {
    if ('file' in secret) files[secret.id] = secret.file;
    else {
      files[secret.id] = join(scratch, `secret-${index}`);
      await writeFile(files[secret.id]!, secret.value, { mode: 0o600 });
    }
  }
  return files;
}

function isWorthReading(line: string): boolean {
  return !/legacy builder is deprecated|Install the buildx component|docs\.docker\.com\/go\/buildx|BuildKit is currently disabled|^\s*environment-variable\.$|Sending build context/.test(
    line,
  );
}

/**
 * The additional contexts of a build. BuildKit itself reads such a folder completely, so a folder with the command's
 * memory, which contains tokens, is copied without it.
 */

/** Copies the build contexts by name, without session files. The copies are in `scratch`, which the caller removes. */
export async function withoutSessionFiles(
  contexts: Readonly<Record<string, string>>,
  scratch: string,
): Promise<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const [index, [name, place]] of Object.entries(contexts).entries()) {
    // Other contexts are addresses or images.
    const isCopied = isAbsolute(place) && (await holdsMemory(place));
    given[name] = isCopied ? join(scratch, `context-${index}`) : place;
    if (isCopied) await cp(place, given[name], { recursive: true, verbatimSymlinks: true, filter: isForBuild });
  }
  return given;
}

async function holdsMemory(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === berthFolder)) return true;
  for (const entry of entries) if (entry.isDirectory() && (await holdsMemory(join(folder, entry.name)))) return true;
  return false;
}

/** A copy has no sockets and pipes. */
async function isForBuild(path: string): Promise<boolean> {
  if (basename(path) === berthFolder) return false;
  const found = await lstat(path);
  return found.isDirectory() || found.isFile() || found.isSymbolicLink();
}
