/**
 * Pods whose images are built: those with `build`, as in Compose, and those whose image is `./name` with a Dockerfile
 * in the folder of that name.
 */
import { join, resolve } from 'node:path';
import { childOf, entriesOf, type Field, itemsOf, type List, type Tree, textOf } from '../../config/document/tree.ts';
import { splitImage } from '../../config/values/image-names.ts';
import { readBuild } from '../compose/builds.ts';
import { absoluteBuild } from '../compose/local-paths.ts';
import { type DockerImage, maxDockerfileBytes, readDockerfile } from '../dockerfile.ts';
import { dockerfileNames } from '../find-documents.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import type { Variables } from '../local-variables.ts';
import { plainBuild } from '../plain-build.ts';
import type { FolderOptions, ImageToMake } from '../project.ts';
import { refuseOutside } from '../read-text.ts';
import { listTree, scalar, withKeys } from '../trees.ts';

type Context = {
  base: string;
  files: FolderFiles;
  findings: Findings;
  options: FolderOptions;
  variables: Variables;
};
type Found = { made: ImageToMake; image: DockerImage | undefined };

/** The document with complete names of images, and with the ports of Dockerfiles where it names none. */
export function buildPods(root: Tree, context: Context): { tree: Tree; images: ImageToMake[] } {
  const application = childOf({ tree: root, path: [] }, 'application');
  const pods = childOf(application, 'pods');
  if (root.kind !== 'map' || application?.tree.kind !== 'map' || pods?.tree.kind !== 'list')
    return { tree: root, images: [] };
  const all = itemsOf(pods);
  const own = new Set(all.flatMap((pod) => ownName(textOf(childOf(pod, 'image'))) ?? []));
  const known = new Map<string, Found>();
  const document: Field = { tree: root, path: [] };
  const items = all.map((pod) =>
    childOf(pod, 'build')
      ? buildDeclared(pod, document, known, context)
      : buildPod(pod, own.size === 1, known, context),
  );
  const images = [...known.values()].map(({ made }) => made);
  if (items.every((item, at) => item === all[at]!.tree)) return { tree: root, images };
  const list: List = { ...pods.tree, items };
  return { tree: withKeys(root, { application: withKeys(application.tree, { pods: list }) }), images };
}

/** Returns `web` for `./web:1`. An image with a digest already exists. */
function ownName(image: string | undefined): string | undefined {
  if (!image?.startsWith('./')) return undefined;
  const { name, digest } = splitImage(image);
  return digest === undefined ? name.slice(2) : undefined;
}

/** A pod with `build`. Its image is named like the pod, unless `image` names it. */
function buildDeclared(pod: Field, document: Field, known: Map<string, Found>, context: Context): Tree {
  const declared = childOf(pod, 'build');
  if (!declared || pod.tree.kind !== 'map') return pod.tree;
  const { base, files, findings, options, variables } = context;
  const build = absoluteBuild(declared.tree, { base, home: undefined });
  const read = readBuild(
    { ...pod, tree: withKeys(pod.tree, { build, image: undefined }) },
    { document, files, findings, options, variables },
  );
  const written = textOf(childOf(pod, 'image'));
  const podName = textOf(childOf(pod, 'name')) ?? '';
  const name = ownName(written) ?? (/^[a-z0-9][a-z0-9-]*$/.test(podName) ? podName : 'web');
  const reference = `./${name}:${(written?.startsWith('./') && splitImage(written).tag) || '1'}`;
  const { at } = declared.tree;
  if (read) {
    const made: ImageToMake = {
      name: reference,
      services: [podName || name],
      base: { kind: 'build', build: read.build },
      layers: [],
      at: findings.placeOf(at),
    };
    known.set(reference, { made, image: read.image });
  }
  return withKeys(pod.tree, { build: undefined, image: scalar(reference, at), ...portsOf(pod, read?.image) });
}

function buildPod(pod: Field, isOnly: boolean, known: Map<string, Found>, context: Context): Tree {
  const field = childOf(pod, 'image');
  const written = textOf(field);
  const name = ownName(written);
  if (!field || written === undefined || name === undefined || pod.tree.kind !== 'map') return pod.tree;
  const { at } = field.tree;
  const reference = `./${name}:${splitImage(written).tag ?? '1'}`;
  const found = known.get(reference) ?? findBuild(reference, name, isOnly, at, context);
  if (!found) return pod.tree;
  known.set(reference, found);
  found.made.services.push(textOf(childOf(pod, 'name')) ?? name);
  return withKeys(pod.tree, { image: scalar(reference, at), ...portsOf(pod, found.image) });
}

function findBuild(
  reference: string,
  name: string,
  isOnly: boolean,
  at: number,
  { base, files, findings }: Context,
): Found | undefined {
  const folders = [resolve(base, name), ...(isOnly ? [base] : [])];
  const paths = folders.flatMap((folder) => dockerfileNames.map((file) => join(folder, file)));
  const path = paths.find((one) => files.look(one).kind !== 'missing');
  if (path === undefined) {
    const hint = `to have it built here, write a Dockerfile into ${shownPath(files, folders[0]!)}`;
    findings.note('pushed-image', `"./${name}" is not built here: it has to be pushed already`, at, hint);
    return undefined;
  }
  if (files.look(path).kind === 'outside') {
    refuseOutside(path, files, findings, at);
    return undefined;
  }
  const image = readDockerfile(files.read(path, maxDockerfileBytes)?.toString('utf8') ?? '');
  if (!image) {
    findings.refuse('bad-dockerfile', `${shownPath(files, path)} cannot be read, or has no FROM`, at);
    return undefined;
  }
  const context = folders.find((folder) => path.startsWith(`${join(folder, '/')}`))!;
  return { image, made: { ...plainBuild(reference, context, path), at: findings.placeOf(at) } };
}

function portsOf(pod: Field, image: DockerImage | undefined): { servicePorts?: Tree } {
  const ports = image?.ports ?? [];
  const isNamed = entriesOf(pod).some(([key]) => /port/i.test(key));
  if (isNamed || ports.length === 0) return {};
  const { at } = pod.tree;
  const items = ports.map((port): Tree => ({ kind: 'scalar', value: port, text: String(port), at, to: at }));
  return { servicePorts: listTree(items, at) };
}
