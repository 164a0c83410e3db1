/** Source code of a small server, for builds of tests. */

/** A server that answers these words and its variable GREETING. */
export const serverOf = (words: string) =>
  `import { createServer } from 'node:http';
createServer((_, response) => response.end(${JSON.stringify(words)} + process.env.GREETING)).listen(3000);
process.on('SIGTERM', () => process.exit());\n`;

/** The Dockerfile of that server, with additional lines. */
export const dockerfile = (...lines: string[]) =>
  [
    'FROM node:26-slim',
    'WORKDIR /app',
    ...lines,
    'COPY server.mjs ./',
    'EXPOSE 3000',
    'CMD ["node", "server.mjs"]',
  ].join('\n');
