/** Folders of tests, from a list of files, and what they are read as. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import type { AppSpec, PodSpec } from '../../src/config/spec/spec.ts';
import type { Finding, FolderOptions, Project } from '../../src/folder/project.ts';
import { readFolder } from '../../src/folder/read-folder.ts';

/** A text; bytes; a program; a link; or, as `null`, an empty folder. */
export type Written = string | Buffer | { program: string } | { link: string } | null;

/** The folder `shop` in a place of its own, so that a file `../secret` is outside of it and gone with the test. */
export function makeFolder(t: TestContext, files: Record<string, Written>): string {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'berth-folder-')));
  t.after(() => rmSync(outer, { recursive: true, force: true }));
  const folder = join(outer, 'shop');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(content === null ? path : dirname(path), { recursive: true });
    if (content === null) continue;
    if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(path, content);
    else if ('link' in content) symlinkSync(content.link, path);
    else {
      writeFileSync(path, content.program);
      chmodSync(path, 0o755);
    }
  }
  return folder;
}

export type Read = {
  project: Project;
  /** `code file:line:column`. */
  refused: string[];
  noted: string[];
  asked: string[];
  /** The spec of the document, as the service reads it. The document must be valid. */
  spec: AppSpec;
  pod(name: string): PodSpec;
};

export async function read(t: TestContext, files: Record<string, Written>, options: FolderOptions = {}): Promise<Read> {
  const project = await readFolder(makeFolder(t, files), options);
  const said = ({ code, at }: Finding) => (at ? `${code} ${at.file}:${at.line}:${at.column}` : code);
  const specOf = () => {
    const parsed = parseConfiguration(project.document);
    if (parsed.kind === 'valid') return parsed.spec;
    throw new Error(`${JSON.stringify(parsed.diagnostics)}\n${project.document}\n${JSON.stringify(project.refusals)}`);
  };
  return {
    project,
    refused: project.refusals.map(said),
    noted: project.notes.map(said),
    asked: project.questions.map(({ name, at }) => `${name} ${at.file}:${at.line}:${at.column}`),
    get spec() {
      return specOf();
    },
    pod(name) {
      const found = specOf().pods.find((pod) => pod.name === name);
      if (!found) throw new Error(`Pod ${name} is missing.`);
      return found;
    },
  };
}

/** A public service, with further lines of its own. */
export function web(...lines: string[]): string {
  return ['services:', '  web:', "    ports: ['8080:80']", ...lines.map((line) => `    ${line}`), ''].join('\n');
}

/** The same, with one that mounts. */
export function mounting(image: string, ...mounts: string[]): string {
  return web(`image: ${image}`, `volumes: ${JSON.stringify(mounts)}`);
}
