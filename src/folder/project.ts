/**
 * The project in a folder: the result of `readFolder`, before the images are built and pushed. Later steps do not read
 * the Compose file or `.env` again.
 */

import type { BuildSource } from '../config/values/build-source.ts';

/** A place in a file: its path relative to the folder with `/`, and line and column from 1. */
export type Place = { file: string; line: number; column: number };

export type Project = {
  /** Absolute, with symbolic links resolved. */
  folder: string;
  /** The application's name, as the document says it. */
  name: string;
  form: 'native' | 'compose' | 'dockerfile';
  /** The files that it was read from, relative to the folder, the main one first; to watch, and to show. */
  sources: string[];
  /**
   * The text to send: native YAML or a Compose file, complete in itself. An image that is built from the folder has the
   * `name` of its `ImageToMake`. It passes Berth's own validator unless there are refusals or questions. A lone
   * Dockerfile without EXPOSE has an unknown port and is refused.
   */
  document: string;
  /** Images to build and push before the document is sent; each name once. */
  images: ImageToMake[];
  /**
   * Volumes that the options fill with the content of folders. Only for the plan: `images` already has a layer for
   * each, because a new volume starts with the content of its image.
   */
  fills: VolumeFill[];
  /** Notes about parts that were understood, left out or changed, for the plan. */
  notes: Finding[];
  /** Reasons against a deployment. If there are any, the document must not be sent. */
  refusals: Finding[];
  /**
   * Missing values that the document needs. Prompt for them, add the answers to `values` of the options, and read the
   * folder again. Until then, the document contains `${NAME}` in their places.
   */
  questions: MissingValue[];
  /**
   * Missing files with variables that the document names. A person must decide whether it works without one: add the
   * file to `without` of the options, and read the folder again.
   */
  missingFiles: MissingFile[];
  /** The values in the document that the options and the shell gave, by the name of the variable. */
  given: Record<string, string>;
  /** Git repositories that images are built from and that the options do not have. Their builds are remote. */
  repositories: WantedRepository[];
};

export type WantedRepository = { source: BuildSource; at: Place };

/** An image to push, which several services may run. */
export type ImageToMake = {
  /**
   * The name in the document, with a tag: `./web:1`. For an extended image, it contains the base: `./db/postgres:15`.
   */
  name: string;
  /** The services, or pods, that run it. */
  services: string[];
  base: { kind: 'build'; build: Build } | { kind: 'image'; image: string };
  /**
   * Added to the base in this order. Later ones take precedence. Without layers, the local image is pushed unchanged.
   */
  layers: FolderLayer[];
  /** The place of the service or the Dockerfile. */
  at: Place;
};

/** All paths are absolute, exist, and may be read. */
export type Build = {
  /** A folder; or a URL of Git or of an archive, which the builder fetches itself. */
  context: string;
  isRemote: boolean;
  /** Whether the address of a remote context needs an access token. */
  isPrivate?: true;
  /** Absolute path of the Dockerfile; for a remote context, and with `inline`, as it is written. Default: `Dockerfile` of the context. */
  dockerfile?: string;
  /** The text of the Dockerfile itself. */
  inline?: string;
  target?: string;
  /** Ready to use. */
  args: Record<string, string>;
  /** For `RUN --mount=type=secret,id=…`; they need BuildKit and must not be seen in a list of processes. */
  secrets: BuildSecret[];
  /** For `RUN --mount=type=ssh`: ids, or `id=path`. They need BuildKit. */
  ssh: string[];
  /** The platforms in the file: `linux/amd64`. Usually empty, which means the platform of the server. */
  platforms: string[];
  /** Name → absolute folder, or `docker-image://…`, or a URL. They need BuildKit. */
  additionalContexts: Record<string, string>;
  /** `name=address` for the build. */
  extraHosts: string[];
  /** The tag of the file for the result. An existing image with it can be used instead. */
  tag?: string;
  shmSize?: string;
  network?: string;
  noCache: boolean;
  pull: boolean;
  labels: Record<string, string>;
};

export type BuildSecret = { id: string } & ({ file: string } | { value: string });

/** A file or folder of this machine that becomes one at a path of the image. */
export type FolderLayer = {
  /** Absolute, existing and readable. A link in it may still lead outside. */
  from: string;
  /** `archive`: a tar whose content is used, with its owners. */
  kind: 'file' | 'folder' | 'archive';
  /** Absolute path in the image; that of the file itself, or of the folder whose content this is. */
  to: string;
  /**
   * Excluded paths, relative to the folder, with everything below them. At these paths, the image's content is visible,
   * like in a volume over the mount. Elsewhere, the folder hides it.
   */
  except?: string[];
  at: Place;
};

/** Data that a volume is to start with. */
export type VolumeFill = {
  /** Absolute. */
  from: string;
  service: string;
  mountPath: string;
  at: Place;
};

/** A finding about a folder: a note, or the reason of a refusal. */
export type Finding = {
  /**
   * A stable code. Of notes: `source-mount-left-out`, `data-folder`, `outside-data`, `files-inline`, … Of refusals:
   * `nothing-found`, `docker-socket`, `outside-folder`, `unparsable`, … or a code of the validator.
   */
  code: string;
  message: string;
  /** How to fix it, if that is possible. */
  hint?: string;
  at?: Place;
};

export type MissingValue = {
  /** Name of the variable. */
  name: string;
  /** The place of the first use, and the number of uses. */
  at: Place;
  uses: number;
  /** The file's own message: `${NAME:?why}`. */
  why?: string;
  /** The value in an `.env.example` next to the missing file. It is proposed, but never used without a confirmation. */
  suggestion?: { value: string; file: string };
  /** Named like a password, key or token: not to be shown while it is typed. */
  isSecret: boolean;
};

export type MissingFile = {
  /** Relative to the folder. */
  file: string;
  /** Where it is named first. */
  at: Place;
  /** The value in a committed example file. */
  example?: string;
};

export type FolderOptions = {
  /** The files of `-f`, relative to the folder, in this order. Default: found by name. */
  files?: string[];
  /** Take precedence over all other values: those of `--env NAME=value`, and the answers to questions. */
  values?: Record<string, string>;
  /** Files with variables instead of `.env`, relative to the folder. */
  envFiles?: string[];
  /** Files with variables that may be missing, as `MissingFile` names them. */
  without?: readonly string[];
  /** Variables of the shell. They override those of files. A note of the project lists the used ones. */
  environment?: Record<string, string | undefined>;
  /** Profiles to enable; `*` enables all. */
  profiles?: string[];
  /** The application's name instead of the one that is found. */
  name?: string;
  /** Additional readable folders, absolute. Other paths outside of the project are refused. */
  allowed?: string[];
  /** The folders with the files of Git repositories, by `repositoryKey`. They can be read, too. */
  repositories?: ReadonlyMap<string, string>;
  /** Services, or `service:/path`, whose data folders fill their volumes. */
  fill?: string[];
};
