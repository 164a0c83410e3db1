/** Reads `build` of a service: the context and the options of the build. */
import { isAbsolute, posix, relative, resolve } from 'node:path';
import { childOf, entriesOf, entryOf, type Field, itemsOf, textOf } from '../../config/document/tree.ts';
import { type BuildSource, hasVariable, readBuildSource, repositoryKey } from '../../config/values/build-source.ts';
import { type DockerImage, maxDockerfileBytes, readDockerfile } from '../dockerfile.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import type { Variables } from '../local-variables.ts';
import type { Build, BuildSecret, FolderOptions } from '../project.ts';
import { refuseOutside } from '../read-text.ts';
import { isRemoteContext, isRemoteSource } from './local-paths.ts';

/** The name of a stage or an image. An equals sign would end the name in the builder's argument and begin a path. */
const contextName = /^[a-z0-9._/-]+(?::[\w.-]+)?$/;

export type BuildContext = {
  document: Field;
  files: FolderFiles;
  findings: Findings;
  options: Pick<FolderOptions, 'repositories'>;
  variables: Variables;
};
/** `image`: the settings of its Dockerfile, if it can be read. */
export type ReadBuild = { build: Build; image: DockerImage | undefined; at: number };

/** Undefined when the service is not built, or what it needs is not there; that is refused unless it has an image too. */
export function readBuild(service: Field, context: BuildContext): ReadBuild | undefined {
  const { files, findings } = context;
  const field = childOf(service, 'build');
  if (!field) return undefined;
  const isShort = field.tree.kind === 'scalar';
  const at = field.key?.at ?? field.tree.at;
  const text = (key: string) => (isShort ? undefined : textOf(childOf(field, key)));
  const place = placeOf(field, context);
  if (!place) return undefined;
  const { isRemote, folder, isPrivate } = place;
  const inline = text('dockerfile_inline');
  const named = text('dockerfile');
  const dockerfile = isRemote || inline !== undefined ? named : resolve(folder, named ?? 'Dockerfile');
  const hasImage = childOf(service, 'image') !== undefined;

  if (isRemote && named !== undefined && isAbsolute(named)) {
    const hint = 'write its path in the repository that is built';
    findings.refuse('unsupported', `the Dockerfile ${named} is a file of this machine`, at, hint);
    return undefined;
  }
  const { repository } = place;
  if (!isRemote && !isReadable(folder, 'folder', { hasImage, at, repository }, context)) return undefined;
  let written = inline;
  if (!isRemote && inline === undefined) {
    if (!isReadable(dockerfile!, 'file', { hasImage, at, repository }, context)) return undefined;
    written = files.read(dockerfile!, maxDockerfileBytes)?.toString('utf8');
  }
  const args = pairs(childOf(field, 'args'), context.variables);
  const target = text('target');
  const image =
    written === undefined ? undefined : readDockerfile(written, { args, ...(target !== undefined && { target }) });
  if (written !== undefined && !image) {
    const what = target === undefined ? 'no FROM' : `no stage "${target}"`;
    findings.refuse('bad-dockerfile', `the Dockerfile has ${what}`, at);
    return undefined;
  }
  const contexts = pairs(childOf(field, 'additional_contexts'), context.variables);
  for (const [name, one] of Object.entries(contexts)) {
    if (!contextName.test(name)) {
      const hint = 'use lowercase letters, digits, ".", "_", "/" and "-"';
      findings.refuse(
        'unsupported',
        `the build context ${JSON.stringify(name)} has a name that is not valid`,
        at,
        hint,
      );
    } else if (/^oci-layout:/.test(one)) {
      findings.refuse(
        'unsupported',
        `the build context "${name}" is a layout of this machine`,
        at,
        'name an image: docker-image://…',
      );
    } else if (isRemoteContext(one)) {
      if (!/^(?:service|target):/.test(one)) continue;
      findings.refuse(
        'unsupported',
        `the build context "${name}" is another service`,
        at,
        'copy from its image by name: docker-image://…',
      );
    } else isReadable(one, 'folder', { hasImage: false, at }, context);
  }
  reportNetwork(text('network'), at, findings);
  const words = (key: string) => itemsOf(childOf(field, key)).flatMap((item) => textOf(item) ?? []);
  const tag = textOf(childOf(service, 'image'));
  const build: Build = {
    context: folder,
    isRemote,
    ...(isPrivate && { isPrivate }),
    ...(dockerfile !== undefined && { dockerfile }),
    ...(inline !== undefined && { inline }),
    ...(target !== undefined && { target }),
    args,
    secrets: itemsOf(childOf(field, 'secrets')).flatMap((item) => readSecret(item, context)),
    ssh: itemsOf(childOf(field, 'ssh')).flatMap((item) => readSsh(item, context)),
    platforms: words('platforms'),
    additionalContexts: contexts,
    extraHosts: hostsOf(childOf(field, 'extra_hosts')),
    ...(tag !== undefined && { tag }),
    ...optional('shmSize', text('shm_size')),
    ...optional('network', text('network')),
    noCache: text('no_cache') === 'true',
    pull: text('pull') === 'true',
    labels: pairs(childOf(field, 'labels'), context.variables),
  };
  return { build, image, at };
}

/** `repository`: the folder with its files. */
type BuildPlace = Pick<Build, 'isRemote' | 'isPrivate'> & { folder: string; repository?: string };

/** Where the files of a build are. Undefined for a source that is refused, or that lacks a value. */
function placeOf(build: Field, { files, findings, options }: BuildContext): BuildPlace | undefined {
  const isShort = build.tree.kind === 'scalar';
  const context = textOf(isShort ? build : childOf(build, 'context')) ?? files.folder;
  const source = childOf(build, 'source');
  const texts = entriesOf(source).map(([, field]) => textOf(field));
  if (findings.needs(texts.join(' '), source?.tree.at)) return undefined;
  const read = readBuildSource(build);
  if (!read) {
    const isRemote = isRemoteSource(context);
    return { isRemote, folder: isRemote ? context : resolve(files.folder, context) };
  }
  if (read.kind === 'bad') {
    const { at: field, message, hint } = read.problem;
    findings.refuse('bad-source', message, field.tree.at, hint);
    return undefined;
  }
  if (hasVariable(read.source)) return undefined;
  const below = (source && textOf(childOf(build, 'context'))) ?? '.';
  const fetched = options.repositories?.get(repositoryKey(read.source));
  if (fetched !== undefined) return { isRemote: false, folder: resolve(fetched, below), repository: fetched };
  findings.repositories.push({ source: read.source, at: findings.placeOf(read.at.tree.at) });
  const isPrivate = read.source.token === undefined ? {} : ({ isPrivate: true } as const);
  return { isRemote: true, folder: remoteContext(read.source, below), ...isPrivate };
}

/** Returns the context in Docker's notation. */
function remoteContext({ git, ref = '', path = '' }: BuildSource, below: string): string {
  const folder = posix.join(path, below).replace(/^\.$/, '');
  const repository = git.replace(/\/+$/, '').replace(/(?:\.git)?$/, '.git');
  return ref === '' && folder === '' ? repository : `${repository}#${ref}${folder && `:${folder}`}`;
}

function optional<K extends string>(key: K, value: string | undefined): { [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: string });
}

function isReadable(
  path: string,
  wanted: 'file' | 'folder',
  { hasImage, at, repository }: { hasImage: boolean; at: number; repository?: string | undefined },
  { files, findings }: BuildContext,
): boolean {
  if (repository !== undefined) return isInRepository(path, wanted, { at, repository }, { files, findings });
  const { kind } = files.look(path);
  if (kind === wanted) return true;
  const shown = shownPath(files, path);
  if (kind === 'outside') refuseOutside(path, files, findings, at);
  else if (hasImage)
    findings.note('build-left-out', `nothing is built: ${shown} is not there, and the service has an image`, at);
  else findings.refuse('missing-file', `what is built needs the ${wanted} ${shown}, which is not there`, at);
  return false;
}

/** No message shows where the files of a repository are. */
function isInRepository(
  path: string,
  wanted: 'file' | 'folder',
  { at, repository }: { at: number; repository: string },
  { files, findings }: Pick<BuildContext, 'files' | 'findings'>,
): boolean {
  const shown = relative(repository, path);
  if (shown === '..' || shown.startsWith('../')) {
    findings.refuse('outside-folder', 'the build needs a path outside of its repository', at);
    return false;
  }
  if (files.look(path).kind === wanted) return true;
  findings.refuse('missing-file', `the repository has no ${wanted} ${shown}`, at);
  return false;
}

/** Reads a map or a list of `NAME=value`. A name without a value gets the value of the variable, or is left out. */
function pairs(field: Field | undefined, { lookup }: Variables): Record<string, string> {
  const read: [string, string | undefined][] =
    field?.tree.kind === 'map'
      ? entriesOf(field).map(([name, value]) => [name, textOf(value) ?? lookup(name)])
      : itemsOf(field).map((item) => {
          const [, name = '', value] = /^([^=]*)(?:=([\s\S]*))?$/.exec(textOf(item) ?? '') ?? [];
          return [name, value ?? lookup(name)];
        });
  return Object.fromEntries(read.filter((pair): pair is [string, string] => pair[0] !== '' && pair[1] !== undefined));
}

function hostsOf(field: Field | undefined): string[] {
  if (field?.tree.kind === 'map') return entriesOf(field).map(([name, value]) => `${name}=${textOf(value) ?? ''}`);
  return itemsOf(field).map((item) => (textOf(item) ?? '').replace(/^([^:=]+):/, '$1='));
}

/** The user learns in advance that a build uses their SSH keys. */
function readSsh(item: Field, { files, findings }: BuildContext): string[] {
  const { at } = item.tree;
  const [, id = '', paths] = /^([^=]*)(?:=([\s\S]*))?$/.exec(textOf(item) ?? '') ?? [];
  if (id === '') return [];
  if (paths === undefined || paths === '') {
    const hint = 'go on only with a project that you trust with them';
    findings.note('ssh-agent', 'the build may use all keys of your SSH agent', at, hint);
    return [id];
  }
  const found = paths.split(',').map((path) => resolve(files.folder, path));
  for (const path of found) {
    const { kind } = files.look(path);
    if (kind === 'outside') refuseOutside(path, files, findings, at);
    else if (kind !== 'file' || path.includes(','))
      findings.refuse('missing-file', `${shownPath(files, path)}, a key for the build, is not a file`, at);
  }
  return [`${id}=${found.join(',')}`];
}

function reportNetwork(network: string | undefined, at: number, findings: Findings): void {
  if (network !== 'host') return;
  const hint = 'go on only with a project that you trust with it';
  findings.note('build-network', 'the build can reach every service that listens on this machine', at, hint);
}

/** Reads an entry of the top-level `secrets`: a file, or the value of a variable. */
function readSecret(item: Field, { document, files, findings, variables }: BuildContext): BuildSecret[] {
  const isLong = item.tree.kind === 'map';
  const source = textOf(isLong ? childOf(item, 'source') : item);
  const id = (isLong ? textOf(childOf(item, 'target')) : undefined) ?? source;
  const { at } = item.tree;
  if (source === undefined || id === undefined) return [];
  const secrets = childOf(document, 'secrets');
  const definition = secrets && entryOf(secrets, source);
  const file = textOf(childOf(definition, 'file'));
  const environment = textOf(childOf(definition, 'environment'));
  if (file !== undefined) {
    const { kind } = files.look(file);
    if (kind === 'file') return [{ id: posix.basename(id), file }];
    if (kind === 'outside') refuseOutside(file, files, findings, at);
    else
      findings.refuse(
        'missing-file',
        `the file of the secret "${source}", ${shownPath(files, file)}, is not there`,
        at,
      );
    return [];
  }
  const value = environment === undefined ? undefined : variables.lookup(environment);
  if (value !== undefined) return [{ id: posix.basename(id), value }];
  const what = environment === undefined ? 'is not in the top-level "secrets"' : `needs the variable ${environment}`;
  findings.refuse('unknown-secret', `the secret "${source}" of the build ${what}`, at);
  return [];
}
