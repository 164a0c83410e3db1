/**
 * The texts of an export with data: the files in its folder next to the archives of volumes and the images. Pure.
 * Commented scripts start the application elsewhere with the commands of Docker or Kubernetes.
 */
import type { AppSpec } from '../spec/spec.ts';
import { printBytes } from '../values/units.ts';
import { exportCompose, layoutFolder, volumeName } from './compose-file.ts';
import { exportKubernetes, printManifests } from './kubernetes.ts';
import { secretsOf } from './secret-values.ts';

export type ExportedFolder = {
  /** The images are named by digest, or by their names in the layout. Generated values are included if requested. */
  spec: AppSpec;
  /** The document as it was sent. */
  document: string;
  revision: number;
  /** ISO 8601. */
  at: string;
  withSecrets: boolean;
  host: string;
  archives: readonly ExportedArchive[];
  /** Whether the archives are of different instants. */
  areApart: boolean;
  /** Titles of volumes without an archive, and the reason. */
  missing: readonly { title: string; because: string }[];
  /** Pods whose image is in the layout. */
  inLayout: ReadonlySet<string>;
  /** Images that the Compose file names and that no longer exist. */
  lostImages: readonly string[];
};

/**
 * `volume`: its name in the Compose file. Undefined for the volume of a further replica, which the Compose file does
 * not have.
 */
export type ExportedArchive = {
  file: string;
  volume: string | undefined;
  /** The directory below it. */
  below: string;
  /** The volume of a directory with an unknown path. `below` is a placeholder, and the archive is not loaded. */
  unplacedIn?: string;
  sizeBytes: number;
};

export type ExportedText = { path: string; content: string; isProgram?: true };

export const volumesFolder = 'volumes';

/** Returns the texts in reading order. */
export function exportTexts(folder: ExportedFolder): ExportedText[] {
  const { spec, document, withSecrets, host, archives, inLayout } = folder;
  const fills = fillsOf(archives);
  const compose = exportCompose(spec, { withSecrets, fills, inLayout });
  const kubernetes = exportKubernetes(spec, { withSecrets, host });
  const notes = [...compose.notes, ...kubernetes.notes];
  const isDocumentOpen = withSecrets || !holdsSecrets(spec);
  return [
    { path: 'README.md', content: readme(folder, { notes, isDocumentOpen }) },
    ...(isDocumentOpen ? [{ path: 'document.yaml', content: document }] : []),
    { path: 'compose.yaml', content: compose.text },
    { path: 'start.sh', content: composeScript(folder), isProgram: true },
    { path: 'kubernetes/volumes.yaml', content: kubernetes.claims },
    { path: 'kubernetes/application.yaml', content: kubernetes.others },
    ...(fills.size > 0 ? [{ path: 'kubernetes/loader.yaml', content: loader([...fills.keys()]) }] : []),
    { path: 'start-kubernetes.sh', content: kubernetesScript(folder), isProgram: true },
  ];
}

/** Returns whether the configuration contains written values that are secret. */
function holdsSecrets(spec: AppSpec): boolean {
  const isSecret = spec.pods.some(({ files }) => files.some((file) => file.isSecret));
  return isSecret || spec.registryLogin !== undefined || secretsOf(spec).length > 0;
}

function fillsOf(archives: readonly ExportedArchive[]): Map<string, Record<string, string>> {
  const fills = new Map<string, Record<string, string>>();
  for (const { volume, below, file } of archives)
    if (volume !== undefined) fills.set(volume, { ...fills.get(volume), [below || '.']: file });
  return fills;
}

/** Quotes any text as a word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function composeScript({ spec, archives, inLayout }: ExportedFolder): string {
  const loads = archives.flatMap(({ volume, below, file }) => {
    const pod = spec.pods.find((each) => each.volumes.some((one) => volumeName(each, one) === volume));
    const mount = pod?.volumes.find((one) => volumeName(pod, one) === volume);
    if (!pod || !mount) return [];
    const path = below === '' ? mount.mountPath : `${mount.mountPath}/${below}`;
    return [`  docker compose cp - ${quoted(`${pod.name}:${path}`)} < ${quoted(file)}`];
  });
  return [
    '#!/bin/sh',
    '# Starts the application with Docker Compose; the first time it loads images and data.',
    'set -eu',
    'cd "$(dirname "$0")"',
    ...(inLayout.size > 0 ? [`tar --create --file=- --directory=${layoutFolder} . | docker load`] : []),
    ...(loads.length > 0
      ? [
          'if [ ! -e .data-loaded ]; then',
          '  docker compose create',
          ...loads,
          '  # Remove this file to load the data again, over the existing data.',
          '  : > .data-loaded',
          'fi',
        ]
      : []),
    'exec docker compose up --detach "$@"',
    '',
  ].join('\n');
}

const loaderName = 'berth-export-loader';
/** An image with GNU tar, which preserves holes in files. */
const loaderImage = 'debian:12-slim';

function loader(volumes: readonly string[]): string {
  const named = volumes.map((claim, at) => ({ claim, name: `volume-${at + 1}` }));
  return printManifests([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: loaderName },
      spec: {
        automountServiceAccountToken: false,
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'loader',
            image: loaderImage,
            command: ['sleep', 'infinity'],
            volumeMounts: named.map(({ claim, name }) => ({ name, mountPath: `/volumes/${claim}` })),
          },
        ],
        volumes: named.map(({ claim, name }) => ({ name, persistentVolumeClaim: { claimName: claim } })),
      },
    },
  ]);
}

function kubernetesScript({ spec, archives }: ExportedFolder): string {
  const loads = archives.flatMap(({ volume, below, file }) => {
    if (volume === undefined) return [];
    const path = quoted(below === '' ? `/volumes/${volume}` : `/volumes/${volume}/${below}`);
    const unpack = `tar --extract --file=- --numeric-owner --same-permissions --directory=${path}`;
    return [
      ...(below === '' ? [] : [`kubectl "$@" exec ${loaderName} -- mkdir -p ${path}`]),
      `kubectl "$@" exec --stdin ${loaderName} -- ${unpack} < ${quoted(file)}`,
    ];
  });
  const hasClaims = spec.pods.some(({ volumes }) => volumes.length > 0);
  return [
    '#!/bin/sh',
    '# Starts the application on Kubernetes, with its data. Arguments are for kubectl: sh start-kubernetes.sh -n shop',
    'set -eu',
    'cd "$(dirname "$0")"',
    ...(hasClaims ? ['kubectl "$@" apply -f kubernetes/volumes.yaml'] : []),
    ...(loads.length > 0
      ? [
          'kubectl "$@" apply -f kubernetes/loader.yaml',
          `kubectl "$@" wait --for=condition=Ready --timeout=300s pod/${loaderName}`,
          ...loads,
          `kubectl "$@" delete --wait pod/${loaderName}`,
        ]
      : []),
    'kubectl "$@" apply -f kubernetes/application.yaml',
    '',
  ].join('\n');
}

function readme(
  { spec, revision, at, withSecrets, archives, areApart, missing, inLayout, lostImages }: ExportedFolder,
  { notes, isDocumentOpen }: { notes: readonly string[]; isDocumentOpen: boolean },
): string {
  const lines = [
    `# ${spec.name}`,
    '',
    `Revision ${revision}, exported at ${at}. Keep this folder to yourself: it holds the data of the application.`,
    '',
    '| To start it | |',
    '|---|---|',
    '| with Docker Compose | `sh start.sh`, then <http://localhost:8080> |',
    '| on Kubernetes | `sh start-kubernetes.sh`; its arguments are for kubectl, for example `-n shop` |',
    '| on Berth | `berth up` |',
    '',
    'Started by `docker compose up` or `kubectl apply` alone, its volumes are empty: the scripts load the data first.',
    '',
    '## Contents',
    '',
    '- `compose.yaml`, and `kubernetes/`: the application, without anything of Berth.',
    ...(isDocumentOpen ? ['- `document.yaml`: the configuration as it was sent to Berth.'] : []),
    ...archives.filter(({ unplacedIn }) => unplacedIn === undefined).map((archive) => `- ${describeArchive(archive)}`),
    ...(inLayout.size > 0
      ? [
          `- \`${layoutFolder}/\`: images that no registry has (${[...inLayout].sort().join(', ')}), as an OCI layout; for a cluster, push them to a registry first: \`skopeo copy oci:${layoutFolder}:NAME docker://REGISTRY/NAME\`.`,
        ]
      : []),
    ...(archives.length > 0
      ? [
          '',
          areApart
            ? 'The data of each volume is of one instant, as after a power cut: a database recovers when it starts on it. Those instants are a little apart.'
            : 'The data is of one instant, as after a power cut: a database recovers when it starts on it.',
        ]
      : []),
    '',
    '## What is not',
    '',
    ...(withSecrets
      ? []
      : [
          '- Passwords and keys. Data that were written with a password want the same one: export with secrets, or set them yourself.',
          ...(isDocumentOpen ? [] : ['- The document that was sent to Berth, since secrets are written in it.']),
        ]),
    ...archives.flatMap((archive) => describeUnplaced(archive)),
    ...lostImages.map(
      (image) =>
        `- The image \`${image}\`: parts of it are missing on Berth, where it was pushed. Build it again under this name before you start the application.`,
    ),
    ...missing.map(({ title, because }) => `- The data of the ${title}: ${because}.`),
    '- Images of registries: they are pulled, by digest where it is known.',
    '- Addresses, certificates, custom domains, logs and earlier revisions.',
    ...(notes.length > 0 ? ['', '## Before you start it', '', ...notes.map((note) => `- ${note}`)] : []),
    '',
  ];
  return lines.join('\n');
}

function describeArchive({ file, volume, below, sizeBytes }: ExportedArchive): string {
  const of = volume === undefined ? 'a further replica, which neither script loads' : `the volume ${volume}`;
  return `\`${file}\`: ${below === '' ? '' : `${printable(below)} in `}${of}, ${printBytes(sizeBytes)}, with owners by number.`;
}

function describeUnplaced({ file, below, unplacedIn, sizeBytes }: ExportedArchive): string[] {
  if (unplacedIn === undefined) return [];
  const where = `a directory below ${printable(unplacedIn)} that its image keeps apart`;
  return [
    `- Where \`${file}\` belongs (${printBytes(sizeBytes)}): it has the data of ${where}, and of its path only \`${printable(below)}\` is known, in which \`.\` may stand for \`/\` and \`_\` for any other character. Neither script loads it.`,
  ];
}

/** A directory of an image may be called anything. */
function printable(text: string): string {
  return text.replaceAll(/[^\w./-]/g, '?');
}
