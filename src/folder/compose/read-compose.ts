/** A Compose file with its folder → the document to send, and the images that it needs. */
import { toApplicationName, VolumeNames } from '../../config/compose/compose-names.ts';
import { childOf, type Entry, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import type { Findings } from '../findings.ts';
import type { FolderFiles } from '../folder-files.ts';
import { type InlineFile, openInlineFiles } from '../inline-files.ts';
import type { Variables } from '../local-variables.ts';
import type { FolderLayer, FolderOptions, ImageToMake, VolumeFill } from '../project.ts';
import { listTree, mapTree, scalar, withKeys } from '../trees.ts';
import { activeServices } from './active-services.ts';
import { archivedVolumes, withoutFills } from './archived-volumes.ts';
import { type ReadBuild, readBuild } from './builds.ts';
import { joinEnvironment } from './environment.ts';
import { openImages } from './images-to-make.ts';
import { replaceLabelProxies } from './label-proxies.ts';
import { type Mounted, readMounts } from './local-mounts.ts';
import { removeLocalParts } from './local-parts.ts';
import { recordDevServer } from './service-dev-server.ts';
import { readStoredFiles, splitUses, usedFiles } from './stored-files.ts';

export type ComposeContext = {
  files: FolderFiles;
  findings: Findings;
  variables: Variables;
  options: FolderOptions;
  /** Files that are read on the way are added. */
  sources: string[];
};

export type ReadCompose = {
  name: string;
  tree: Tree;
  images: ImageToMake[];
  fills: VolumeFill[];
  examples: Map<string, { value: string; file: string }>;
};

/** @param loaded Merged, with absolute paths, and with marks for variables without a value. */
export function readCompose(loaded: Tree, context: ComposeContext): ReadCompose {
  const { files, findings, options, variables } = context;
  const profiles = [
    ...(options.profiles ?? []),
    ...(variables.lookup('COMPOSE_PROFILES')?.split(',').filter(Boolean) ?? []),
  ];
  const active = removeLocalParts(replaceLabelProxies(activeServices(loaded, profiles, context), findings), findings);
  const services = entriesOf(childOf({ tree: active, path: [] }, 'services'));
  const inline = openInlineFiles(files);
  const stored = readStoredFiles(active, usedFiles(services.map(([, service]) => service)), { ...context, inline });
  const written = { tree: active, path: [] };
  const examples: ReadCompose['examples'] = new Map();
  const builds = new Map<string, ReadBuild>();
  for (const [name, service] of services) {
    const build = readBuild(service, { document: written, files, findings, options, variables });
    if (build) builds.set(name, build);
  }
  const images = openImages();
  const added = openAdded(stored.document);
  const fills: VolumeFill[] = [];

  const entries = services.map(([name, service]): [string, Entry] => {
    const key = service.key ?? service.tree;
    if (service.tree.kind !== 'map') return [name, { key, value: service.tree }];
    const build = builds.get(name) ?? builtAs(service, builds);
    const image = textOf(childOf(service, 'image'));
    const root = build ? build.image?.base : image;
    const mounted = readMounts(service, {
      service: name,
      image: root ?? '',
      ...(build?.image && !build.build.isRemote && { built: { context: build.build.context, image: build.image } }),
      files,
      findings,
      inline,
      options,
    });
    const uses = splitUses(service, stored.large, findings);
    const archived = archivedVolumes(service, active, context);
    for (const { from, to, at } of archived) fills.push({ from, service: name, mountPath: to, at });
    const layers = [...mounted.layers, ...uses.layers, ...archived];
    const volumes = [...mounted.kept, ...added.volumesFor(name, mounted.data, context, layers, fills)];
    for (const { file, at } of mounted.inline)
      uses.changes[file.isSecret ? 'secrets' : 'configs'].push(added.fileFor(file, at));
    const base = build
      ? ({ kind: 'build', build: build.build } as const)
      : image && ({ kind: 'image', image } as const);
    const at = build?.at ?? key.at;
    // No registry has it: what this machine's Docker has is pushed.
    const own = childOf(service, 'x-berth');
    const isInLayout = childOf(own, 'layout') !== undefined;
    const isMade = base && (build !== undefined || layers.length > 0 || isInLayout);
    const made = isMade ? images.nameFor(name, { base, root, layers, at: findings.placeOf(at) }) : undefined;
    const changes = {
      build: undefined,
      develop: undefined,
      volumes: filled(volumes, service.tree.at),
      configs: filled(uses.changes.configs, service.tree.at),
      secrets: filled(uses.changes.secrets, service.tree.at),
      ...(isInLayout && { 'x-berth': withKeys(own!.tree, { layout: undefined }) }),
      ...(made !== undefined && { image: scalar(made, at) }),
      ...(build && exposedBy(service, build)),
    };
    const joined = joinEnvironment(service, { ...context, examples });
    recordDevServer(name, { ...service, tree: joined }, build, { files, findings });
    return [name, { key, value: withKeys(joined, changes) }];
  });
  const name = toApplicationName(nameOf(loaded, context));
  const tree = assemble(name, stored.document, entries, added);
  return { name, tree, images: images.all(), fills, examples };
}

function nameOf(loaded: Tree, { options, variables, files }: ComposeContext): string {
  const own = textOf(childOf({ tree: loaded, path: [] }, 'name'));
  return options.name ?? variables.lookup('COMPOSE_PROJECT_NAME') ?? own ?? files.folder.split('/').at(-1) ?? 'app';
}

/** Supports a service that builds `image: app` while another one runs it. */
function builtAs(service: Field, builds: ReadonlyMap<string, ReadBuild>): ReadBuild | undefined {
  const image = textOf(childOf(service, 'image'));
  if (image === undefined || childOf(service, 'build')) return undefined;
  return [...builds.values()].find(({ build }) => build.tag === image);
}

/** The ports of its Dockerfile are used if the service declares none. */
function exposedBy(service: Field, { image }: ReadBuild): Record<string, Tree> {
  if (!image || image.ports.length === 0 || childOf(service, 'ports') || childOf(service, 'expose')) return {};
  const { at } = service.key ?? service.tree;
  return {
    expose: listTree(
      image.ports.map((port) => scalar(String(port), at)),
      at,
    ),
  };
}

function filled(items: Tree[], at: number): Tree | undefined {
  return items.length > 0 ? listTree(items, items[0]?.at ?? at) : undefined;
}

type Added = ReturnType<typeof openAdded>;

/** Additions to the top-level `volumes`, `configs` and `secrets`, under unused names. */
function openAdded(document: Tree) {
  const top = { tree: document, path: [] };
  const volumes: [string, Tree][] = [];
  const files = { configs: [] as [string, Tree][], secrets: [] as [string, Tree][] };
  const namesOf = (key: string) => {
    const names = new VolumeNames();
    for (const [name] of entriesOf(childOf(top, key))) names.take(name);
    return names;
  };
  const names = { volumes: namesOf('volumes'), configs: namesOf('configs'), secrets: namesOf('secrets') };
  const bySource = new Map<string, string>();
  return {
    volumes,
    files,
    fileFor(file: InlineFile, at: number): Tree {
      const kind = file.isSecret ? 'secrets' : 'configs';
      const name = names[kind].take(file.path.split('/').at(-1) || 'file');
      files[kind].push([name, mapTree([['content', scalar(file.content, at)]], at)]);
      return mapTree(
        [
          ['source', scalar(name, at)],
          ['target', scalar(file.path, at)],
        ],
        at,
      );
    },
    volumesFor(
      service: string,
      data: Mounted['data'],
      context: ComposeContext,
      layers: FolderLayer[],
      fills: VolumeFill[],
    ) {
      return data.map(({ source, target, isThere, at }) => {
        const known = bySource.get(source);
        const name = known ?? names.volumes.take(`${service}-${target.split('/').at(-1) || 'data'}`);
        if (known === undefined) volumes.push([name, mapTree([], at)]);
        bySource.set(source, name);
        const isWanted =
          context.options.fill?.some((one) => one === service || one === `${service}:${target}`) ?? false;
        const place = context.findings.placeOf(at);
        if (isWanted && isThere) {
          layers.push({ from: source, kind: 'folder', to: target, at: place });
          fills.push({ from: source, service, mountPath: target, at: place });
        } else reportData(service, source, target, isThere, at, context);
        return mapTree(
          [
            ['type', scalar('volume', at)],
            ['source', scalar(name, at)],
            ['target', scalar(target, at)],
          ],
          at,
        );
      });
    },
  };
}

function reportData(
  service: string,
  source: string,
  target: string,
  isThere: boolean,
  at: number,
  { files, findings }: ComposeContext,
): void {
  const isOutside = files.look(source).kind === 'outside';
  const shown = source.startsWith(`${files.folder}/`) ? source.slice(files.folder.length + 1) : source;
  const message = `${target} of "${service}" is a volume that starts empty, instead of ${shown}`;
  const hint = isThere
    ? `--fill ${service}:${target} fills it with the content of the folder`
    : isOutside
      ? 'files outside of the folder are not read'
      : undefined;
  findings.note('data-folder', message, at, hint);
}

/** Removes anchors and similar keys. Other top-level keys stay. */
function assemble(name: string, document: Tree, services: [string, Entry][], added: Added): Tree {
  const { at, to } = document;
  const top = { tree: document, path: [] };
  const joined = (key: string, more: [string, Tree][]): Tree | undefined => {
    const own = childOf(top, key)?.tree;
    return more.length === 0 ? own : withKeys(own ?? mapTree([], at), Object.fromEntries(more));
  };
  const others = entriesOf(top).filter(([key]) => key.startsWith('x-') && key !== 'x-berth');
  const first = mapTree([['name', scalar(name, entryAt(top, 'name') ?? at)]], at);
  const servicesAt = entryAt(top, 'services') ?? at;
  const rest = withKeys(document, {
    ...Object.fromEntries(others.map(([key]) => [key, undefined])),
    version: undefined,
    include: undefined,
    name: undefined,
    services: undefined,
    volumes: withoutFills(withoutDevices(joined('volumes', added.volumes))),
    configs: joined('configs', added.files.configs),
    secrets: joined('secrets', added.files.secrets),
  });
  const all: [string, Entry][] = [
    ...first.entries,
    [
      'services',
      {
        key: { at: servicesAt, to: servicesAt },
        value: { kind: 'map', entries: new Map(services), at: servicesAt, to },
      },
    ],
    ...rest.entries,
  ];
  return { kind: 'map', entries: new Map(all), at, to };
}

function entryAt(top: Field, key: string): number | undefined {
  const child = childOf(top, key);
  return child?.key?.at ?? child?.tree.at;
}

/** `driver_opts: { o: bind, device: ./data }` is a named folder of the host, which a volume replaces. */
function withoutDevices(volumes: Tree | undefined): Tree | undefined {
  if (volumes?.kind !== 'map') return volumes;
  const changed = entriesOf({ tree: volumes, path: [] }).map(([name, definition]): [string, Entry] => {
    const options = childOf(definition, 'driver_opts');
    const isBind = itemsOf(childOf(options, 'o')).some((item) => /(?:^|,)r?bind(?:,|$)/.test(textOf(item) ?? ''));
    const value = isBind ? withKeys(definition.tree, { driver_opts: undefined, driver: undefined }) : definition.tree;
    return [name, { key: definition.key ?? value, value }];
  });
  return { ...volumes, entries: new Map(changed) };
}
