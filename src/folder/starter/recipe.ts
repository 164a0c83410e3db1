/** How a program without a Dockerfile is built and started. */
export type Recipe = {
  /** The reason for the choice of the recipe, for users: `package.json, with its start script`. */
  found: string;
  /** The lines of the Dockerfile before its settings, port and command. */
  lines: string[];
  /** Environment variables of the program, in addition to PORT. */
  env?: Record<string, string>;
  /** The command as words. Absent for an image that starts a server by itself. */
  command?: string[];
  port: number;
  /** Whether the port is a guess, because no file of the folder contains it. */
  isGuess: boolean;
  /** Names for `.dockerignore`, in addition to those that are always in it. */
  ignored: string[];
};

/** The user that programs run as. Every image has it: it is a number. */
const user = '1000:1000';

/** A copy that the program may change. */
export const copyAll = `COPY --chown=${user} . .`;

/** Returns the first lines for a program's image. Only its folder belongs to the program's user. */
export function programStage(from: string): string[] {
  return [`FROM ${from}`, 'WORKDIR /app', `RUN chown ${user} /app`];
}

/** `path` of the stage `build`, as files that the program may change. */
export function copyBuilt(path: string, to: string): string {
  return `COPY --from=build --chown=${user} ${path} ${to}`;
}

export function dockerfileOf({ lines, env = {}, command, port }: Recipe): string {
  const program = command && [
    `ENV ${Object.entries({ HOME: '/app', PORT: `${port}`, ...env })
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    `USER ${user}`,
  ];
  const start = command && [`CMD ${JSON.stringify(command)}`];
  return `${[...lines, ...(program ?? []), `EXPOSE ${port}`, ...(start ?? [])].join('\n')}\n`;
}

/**
 * Returns the lines for pages that nginx serves. `isSinglePage`: unknown paths get `index.html`, which routes in the
 * browser.
 */
export function pagesStage(copy: string, { isSinglePage = false } = {}): string[] {
  const server = 'listen 80; root /usr/share/nginx/html; location / { try_files $uri $uri/ /index.html; }';
  const routes = `RUN echo 'server { ${server} }' > /etc/nginx/conf.d/default.conf`;
  return ['FROM nginx:1', ...(isSinglePage ? [routes] : []), copy];
}
