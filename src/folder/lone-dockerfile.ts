/** A folder with only a Dockerfile: one service, with the port and the health check of the Dockerfile. */
import { basename } from 'node:path';
import { toApplicationName } from '../config/compose/compose-names.ts';
import { knownImage } from '../config/compose/known-images.ts';
import { checkDocument } from './check.ts';
import { reportDevServer } from './compose/service-dev-server.ts';
import { type DockerImage, maxDockerfileBytes, readDockerfile } from './dockerfile.ts';
import type { Findings } from './findings.ts';
import type { FolderFiles } from './folder-files.ts';
import { plainBuild } from './plain-build.ts';
import type { FolderOptions, Project } from './project.ts';
import { refuseOutside } from './read-text.ts';
import { listTree, mapTree, scalar } from './trees.ts';

const imageName = './web:1';

export function readLoneDockerfile(
  path: string,
  start: Project,
  { files, findings, options }: { files: FolderFiles; findings: Findings; options: FolderOptions },
): Project {
  const [file = ''] = start.sources;
  if (files.look(path).kind === 'outside') {
    refuseOutside(path, files, findings, undefined);
    return start;
  }
  const text = files.read(path, maxDockerfileBytes)?.toString('utf8');
  const image = text === undefined ? undefined : readDockerfile(text);
  if (text === undefined || !image) {
    findings.refuse('bad-dockerfile', `${file} cannot be read, or has no FROM`);
    return start;
  }
  const at = findings.addText(file, text);
  const port = portOf(image);
  if (port === undefined) {
    const hint = 'write EXPOSE with the port that the program listens on, for example EXPOSE 3000';
    findings.refuse('no-port', `${file} names no port`, at, hint);
    return { ...start, form: 'dockerfile' };
  }
  const name = toApplicationName(options.name ?? basename(files.folder));
  const check = image.healthCheck;
  const healthCheck = check && [
    [
      'test',
      listTree(
        check.test.map((word) => scalar(word, at)),
        at,
      ),
    ] as const,
    ...(['interval', 'timeout', 'retries', 'start_period'] as const).flatMap((key) =>
      check[key] === undefined ? [] : [[key, scalar(check[key], at)] as const],
    ),
  ];
  const service = mapTree(
    [
      ['image', scalar(imageName, at)],
      ['ports', listTree([scalar(String(port), at)], at)],
      ...(healthCheck ? [['healthcheck', mapTree(healthCheck, at)] as const] : []),
    ],
    at,
  );
  const tree = mapTree(
    [
      ['name', scalar(name, at)],
      ['services', mapTree([['web', service]], at)],
    ],
    at,
  );
  const command = [image.entrypoint, image.command].filter(Boolean).join(' ');
  reportDevServer('web', command, [], at, { files, findings, image, folders: [files.folder] });
  const variables = {
    lookup: () => undefined,
    sources: [],
    whys: new Map(),
    fromShell: new Set<string>(),
    given: new Map<string, string>(),
  };
  const { document } = checkDocument(tree, variables, () => undefined, findings);
  const made = { ...plainBuild(imageName, files.folder, path), services: ['web'], at: findings.placeOf(at) };
  return { ...start, form: 'dockerfile', name, document, images: [made] };
}

/** The first exposed port. Otherwise PORT, which many programs use, or the usual port of a known image. */
export function portOf({ ports, env, base }: DockerImage): number | undefined {
  const reported = /^\d{1,5}$/.test(env.PORT ?? '') ? Number(env.PORT) : undefined;
  const known = base === undefined ? undefined : knownImage(base)?.port;
  return ports[0] ?? reported ?? (known || undefined);
}
