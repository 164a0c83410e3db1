/** PURE. The plan of `berth up`, as a value and as text: what is built, pushed, published, left out and refused. */
import { relative, sep } from 'node:path';
import { parseConfiguration } from '../../config/parse.ts';
import type { Finding, ImageToMake, MissingFile, MissingValue, Place, Project } from '../../folder/project.ts';
import { type Paint, printable } from '../render.ts';

export type Plan = {
  application: string;
  /** The files that it was read from. */
  sources: string[];
  images: PlannedImage[];
  pods: { name: string; image: string; path?: string; volumes: string[] }[];
  notes: Finding[];
  refusals: Finding[];
  missing: Omit<MissingValue, 'uses'>[];
  missingFiles: MissingFile[];
};

type PlannedImage = {
  name: string;
  services: string[];
  /** The source of the build: this folder or address. Absent if an existing image is used or extended. */
  build?: string;
  image?: string;
  folders: { from: string; to: string }[];
};

export function planOf(project: Project): Plan {
  const { name, sources, notes, refusals, questions, missingFiles, document, images } = project;
  const isWhole = questions.length === 0 && missingFiles.length === 0;
  const read = refusals.length === 0 && isWhole ? parseConfiguration(document) : undefined;
  const pods = read?.kind === 'valid' ? read.spec.pods : [];
  const invalid = read?.kind === 'invalid' ? read.diagnostics.filter(({ severity }) => severity === 'error') : [];
  return {
    application: name,
    sources,
    notes,
    images: images.map((image) => plannedImage(project, image)),
    pods: pods.map(({ name, image, path, volumes }) => ({
      name,
      image,
      ...(path !== undefined && { path }),
      volumes: volumes.map(({ mountPath }) => mountPath),
    })),
    refusals: [...refusals, ...invalid.map(({ code, message, hint }) => ({ code, message, ...(hint && { hint }) }))],
    missing: questions.map(({ uses: _, ...question }) => question),
    missingFiles,
  };
}

function plannedImage({ folder }: Project, { name, services, base, layers }: ImageToMake): PlannedImage {
  const folders = layers.map(({ from, to }) => ({ from: shown(folder, from), to }));
  if (base.kind === 'image') return { name, services, image: base.image, folders };
  const { context, isRemote } = base.build;
  return { name, services, build: isRemote ? context : shown(folder, context), folders };
}

/** Returns the path relative to the folder. */
function shown(folder: string, path: string): string {
  const within = relative(folder, path);
  if (within === '') return '.';
  return within.startsWith('..') ? path : `./${within.split(sep).join('/')}`;
}

/** `server` and `isUpdate`: the target, and whether the deployment exists. */
export function printPlan(
  plan: Plan,
  paint: Paint,
  { server, isUpdate }: { server: string; isUpdate: boolean },
): string {
  const { application, sources, images, pods, notes, refusals } = plan;
  const row = (verb: string, text: string) => `  ${verb.padEnd(8)} ${printable(text)}`;
  const lines = [
    `${paint('bold', printable(application))}${sources.length > 0 ? ` from ${printable(sources.join(', '))}` : ''}`,
    ...images.map(({ name, build, image, folders }) => {
      const put = folders.map(({ from, to }) => `${from} at ${to}`).join(', ');
      if (build !== undefined) return row('build', `${name} from ${build}${put && `, with ${put}`}`);
      return row('make', `${name} from ${image}, with ${put}`);
    }),
    ...pods.map(({ name, image, path, volumes }) => {
      const keeps = volumes.length > 0 ? `, keeps ${volumes.join(', ')}` : '';
      return row(
        path === undefined ? 'run' : 'publish',
        `${name} (${image})${path === undefined ? '' : ` at ${path}`}${keeps}`,
      );
    }),
    ...notes.flatMap(({ message, hint, at }) => [
      row('note', `${placed(at)}${message}`),
      ...(hint ? [`           ${printable(hint)}`] : []),
    ]),
    ...refusals.flatMap(({ message, hint, at, code }) => [
      paint('red', row('refused', `${placed(at)}${message} [${code}]`)),
      ...(hint ? [`           ${printable(hint)}`] : []),
    ]),
  ];
  if (isPossible(plan)) lines.push(row(isUpdate ? 'update' : 'start', `on ${server}`));
  return lines.join('\n');
}

/** Returns whether the plan can be carried out. */
export function isPossible({ refusals, missing, missingFiles }: Plan): boolean {
  return refusals.length === 0 && missing.length === 0 && missingFiles.length === 0;
}

export function placed(at: Place | undefined): string {
  return at ? `${at.file}:${at.line}:${at.column}: ` : '';
}
