/** The application that is visited while it is updated. */

/**
 * A web server whose answers begin with `revision`. It exits at SIGTERM at once, along with its pending requests, like
 * programs without a signal handler. `/stream` sends an event every 50 ms, with the time of day; an upgrade gives an
 * echo.
 */
export function visitedYaml(name: string, revision: string, fields: string[] = []): string {
  return `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      vars: { REVISION: ${revision} }
      command: node /app/server.mjs
${fields.map((line) => `      ${line}\n`).join('')}      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            import { text } from 'node:stream/consumers';
            import { setTimeout as delay } from 'node:timers/promises';
            const { REVISION } = process.env;
            createServer(async (request, response) => {
              const body = await text(request);
              const { pathname, search } = new URL(request.url, 'http://me');
              if (pathname === '/slow') await delay(Number(search.slice(1)));
              if (pathname !== '/stream') return response.end(\`\${REVISION} \${body}\`);
              response.writeHead(200, { 'content-type': 'text/event-stream' });
              setInterval(() => response.write(\`data: \${REVISION} \${Date.now()}\\n\\n\`), 50);
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;
}
