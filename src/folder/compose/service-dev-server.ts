/** Detects a development server that would refuse visitors, by the service's command and the files in its folder. */
import { join } from 'node:path';
import { childOf, entriesOf, type Field, itemsOf, textOf } from '../../config/document/tree.ts';
import { devServerOf } from '../dev-servers.ts';
import { type DockerImage, maxDockerfileBytes } from '../dockerfile.ts';
import type { Findings } from '../findings.ts';
import type { FolderFiles } from '../folder-files.ts';
import type { ReadBuild } from './builds.ts';

export type RunFrom = {
  files: FolderFiles;
  findings: Findings;
  /** The image that it is built as, if known. */
  image: DockerImage | undefined;
  /** Absolute folders of this machine that hold its program. */
  folders: readonly string[];
};

/** @param service With its `environment` complete, and absolute paths. */
export function recordDevServer(
  name: string,
  service: Field,
  build: ReadBuild | undefined,
  context: Pick<RunFrom, 'files' | 'findings'>,
): void {
  // Services without a published port have no visitors.
  if (itemsOf(childOf(service, 'ports')).length === 0) return;
  const command = childOf(service, 'command') ?? childOf(service, 'entrypoint');
  const at = command?.tree.at ?? service.key?.at ?? service.tree.at;
  const mounted = itemsOf(childOf(service, 'volumes')).flatMap((item) =>
    textOf(childOf(item, 'type')) === 'bind' ? (textOf(childOf(item, 'source')) ?? []) : [],
  );
  const own = build && !build.build.isRemote ? [build.build.context] : [];
  const folders = [...own, ...mounted].filter((path) => context.files.look(path).kind === 'folder');
  const image = build?.image;
  reportDevServer(name, commandOf(service, image), namesOf(service), at, { ...context, image, folders });
}

export function reportDevServer(name: string, command: string, variables: string[], at: number, from: RunFrom): void {
  const { files, findings, image, folders } = from;
  const readText = (file: string) => {
    const path = folders.map((folder) => join(folder, file)).find((one) => files.look(one).kind === 'file');
    return path === undefined ? undefined : files.read(path, maxDockerfileBytes)?.toString('utf8');
  };
  const server = devServerOf({
    command,
    variables: new Set([...variables, ...Object.keys(image?.env ?? {})]),
    readText,
  });
  if (!server) return;
  const message = `"${name}" runs the development server of ${server.name}, which turns away visitors of hosts that it does not know`;
  findings.note('dev-server-host', message, at, server.hint);
}

/** As in Compose, a service's own entrypoint removes the command of the image. */
function commandOf(service: Field, image: DockerImage | undefined): string {
  const own = (key: string) => {
    const field = childOf(service, key);
    return (
      field &&
      (textOf(field) ??
        itemsOf(field)
          .flatMap((item) => textOf(item) ?? [])
          .join(' '))
    );
  };
  const entrypoint = own('entrypoint');
  const command = own('command') ?? (entrypoint === undefined ? image?.command : undefined);
  return [entrypoint ?? image?.entrypoint, command].filter(Boolean).join(' ');
}

function namesOf(service: Field): string[] {
  const environment = childOf(service, 'environment');
  if (environment?.tree.kind === 'map') return entriesOf(environment).map(([name]) => name);
  return itemsOf(environment).flatMap((item) => textOf(item)?.split('=')[0] ?? []);
}
