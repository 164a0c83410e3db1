/** Recipes for programs in Go, Rust, Java or C#, which are compiled in one image and run in a smaller one. */
import { basename } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import { copyBuilt, programStage, type Recipe } from './recipe.ts';
import { firstThere, isThere, portIn, readText } from './texts.ts';

/** Programs compiled on Debian 12 run on it: they are linked to its C library. */
const debian = 'debian:bookworm-slim';
const certificates = 'COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/';
const usualPort = 8080;
/** Folders of commands, and files of a folder, that are looked through. */
const maxEntries = 200;

export function goRecipe(files: FolderFiles): Recipe | undefined {
  if (!isThere(files, 'go.mod')) return undefined;
  const main = goMain(files);
  if (!main) return undefined;
  const modules = isThere(files, 'go.sum') ? 'go.mod go.sum' : 'go.mod';
  const said = portIn(main.text, /\b(?:ListenAndServe\w*|Listen|Run|Start)\(\s*(?:"tcp",\s*)?"[\w.]*:(\d{2,5})"/);
  const vendored = files.look(`${files.folder}/vendor`).kind === 'folder';
  return {
    found: `go.mod, with the program in ${main.folder}`,
    lines: [
      ...['FROM golang:1-bookworm AS build', 'WORKDIR /app'],
      ...(vendored ? [] : [`COPY ${modules} ./`, 'RUN go mod download']),
      ...['COPY . .', `RUN go build -o /program ${main.folder}`, ''],
      ...[...programStage(debian), certificates, 'COPY --from=build /program /usr/local/bin/program'],
      // Templates and pages lie in the folders of the source.
      copyBuilt('/app', '/app'),
    ],
    command: ['program'],
    port: said ?? usualPort,
    isGuess: said === undefined,
    ignored: [],
  };
}

/** The package `main`: that of the folder itself, or of the only folder in `cmd`. */
function goMain(files: FolderFiles): { folder: string; text: string } | undefined {
  const commands =
    files.look(`${files.folder}/cmd`).kind === 'folder' ? files.list(`${files.folder}/cmd`, maxEntries) : [];
  const plain = commands.filter(({ name }) => /^[\w.-]+$/.test(name));
  const folders = ['.', ...plain.map(({ name }) => `./cmd/${name}`)];
  const found = folders.flatMap((folder) => {
    const text = goText(files, folder);
    return /^package main\b/m.test(text) && /^func main\(\)/m.test(text) ? [{ folder, text }] : [];
  });
  const preferred = ['.', './cmd/server', './cmd/web', './cmd/api'];
  return found.length === 1 ? found[0] : found.find(({ folder }) => preferred.includes(folder));
}

function goText(files: FolderFiles, folder: string): string {
  const path = `${files.folder}/${folder}`;
  if (files.look(path).kind !== 'folder') return '';
  const names = files.list(path, maxEntries).filter(({ name }) => name.endsWith('.go') && !name.endsWith('_test.go'));
  return names.map(({ name }) => readText(files, `${folder}/${name}`) ?? '').join('\n');
}

export function rustRecipe(files: FolderFiles): Recipe | undefined {
  const text = readText(files, 'Cargo.toml');
  const name = text === undefined ? undefined : cargoProgram(text);
  if (name === undefined || !isThere(files, 'src/main.rs')) return undefined;
  const source = readText(files, 'src/main.rs');
  const said =
    portIn(source, /(?:\d|\]|localhost):(\d{2,5})"|\bPORT\b[^\n]{0,80}"(\d{2,5})"/) ??
    portIn(source, /,\s*(\d{4,5})\s*\)/);
  const locked = isThere(files, 'Cargo.lock') ? ' --locked' : '';
  return {
    found: `Cargo.toml, with the program ${name}`,
    lines: [
      ...['FROM rust:1-bookworm AS build', 'WORKDIR /app', 'COPY . .', `RUN cargo build --release${locked}`, ''],
      ...[
        ...programStage(debian),
        certificates,
        `COPY --from=build /app/target/release/${name} /usr/local/bin/program`,
      ],
      'COPY --chown=1000:1000 . .',
    ],
    env: { ROCKET_ADDRESS: '0.0.0.0' },
    command: ['program'],
    port: said ?? usualPort,
    isGuess: said === undefined,
    ignored: ['target'],
  };
}

/** The name of the first program, or else of the package. Only plain names count. */
function cargoProgram(text: string): string | undefined {
  const nameIn = (table: string) =>
    new RegExp(`^${table}\\s*$(?:(?!^\\[)[\\s\\S])*?^name\\s*=\\s*["']([\\w-]+)["']`, 'm').exec(text)?.[1];
  return nameIn('\\[\\[bin\\]\\]') ?? nameIn('\\[package\\]');
}

export function javaRecipe(files: FolderFiles): Recipe | undefined {
  const maven = isThere(files, 'pom.xml');
  const gradle = firstThere(files, ['build.gradle', 'build.gradle.kts']);
  const description = readText(files, maven ? 'pom.xml' : (gradle ?? ''));
  if (!maven && gradle === undefined) return undefined;
  const version = javaVersion(description ?? '');
  const properties = readText(files, 'src/main/resources/application.properties');
  const said = portIn(properties, /^server\.port\s*=\s*(?:\$\{PORT:)?(\d{2,5})/m);
  const isSpring = /spring(?:framework\.|-)?boot/i.test(description ?? '');
  const wrapper = maven ? 'mvnw' : 'gradlew';
  const tool = isThere(files, wrapper) ? `sh ./${wrapper}` : maven ? 'mvn' : 'gradle';
  const [image, command, output] = maven
    ? [`maven:3-eclipse-temurin-${version}`, `${tool} -B -q -DskipTests package`, 'target']
    : [`gradle:jdk${version}`, `${tool} --no-daemon ${isSpring ? 'bootJar' : 'jar'}`, 'build/libs'];
  // Builds also write the classes or the sources alone; the program is the largest archive.
  const pick = `cp "$(ls -S ${output}/*.jar | head -n 1)" /program.jar`;
  return {
    found: maven ? 'pom.xml' : gradle!,
    lines: [
      ...[`FROM ${image} AS build`, 'WORKDIR /app', 'COPY . .', `RUN ${command} && ${pick}`, ''],
      ...[...programStage(`eclipse-temurin:${version}-jre`), 'COPY --from=build /program.jar /app/program.jar'],
    ],
    env: { SERVER_PORT: `${said ?? usualPort}` },
    command: ['java', '-XX:MaxRAMPercentage=75', '-jar', 'program.jar'],
    port: said ?? usualPort,
    isGuess: said === undefined && !isSpring,
    ignored: ['target', 'build', '.gradle'],
  };
}

/** The first long-term release that compiles the version of the description; 21 if it has none. */
function javaVersion(description: string): number {
  const requested = Number(
    /<(?:java\.version|maven\.compiler\.(?:release|source|target)|release)>\s*(?:1\.)?(\d{1,2})/.exec(
      description,
    )?.[1] ??
      /(?:JavaLanguageVersion\.of\(|VERSION_|sourceCompatibility\s*=\s*['"]?)(\d{1,2})/.exec(description)?.[1] ??
      21,
  );
  return [17, 21, 25].find((release) => release >= requested) ?? 25;
}

export function dotnetRecipe(files: FolderFiles): Recipe | undefined {
  const projects = files.list(files.folder, maxEntries).filter(({ name }) => /\.(?:cs|fs)proj$/.test(name));
  const [project, ...others] = projects.map(({ name }) => name);
  if (project === undefined || others.length > 0 || !/^[\w.-]+$/.test(project)) return undefined;
  const text = readText(files, project) ?? '';
  if (!/Sdk="Microsoft\.NET\.Sdk\.Web"/.test(text)) return undefined;
  const version = /<TargetFramework>net(\d{1,2}\.0)/.exec(text)?.[1] ?? '9.0';
  const assembly = /<AssemblyName>([\w.-]+)</.exec(text)?.[1] ?? basename(project).replace(/\.(?:cs|fs)proj$/, '');
  return {
    found: project,
    lines: [
      ...[`FROM mcr.microsoft.com/dotnet/sdk:${version} AS build`, 'WORKDIR /app', `COPY ${project} ./`],
      ...[`RUN dotnet restore ${project}`, 'COPY . .', `RUN dotnet publish ${project} -c Release -o /out`, ''],
      ...[...programStage(`mcr.microsoft.com/dotnet/aspnet:${version}`), copyBuilt('/out', '/app')],
    ],
    env: { ASPNETCORE_HTTP_PORTS: `${usualPort}` },
    command: ['dotnet', `${assembly}.dll`],
    port: usualPort,
    isGuess: false,
    ignored: ['bin', 'obj'],
  };
}
