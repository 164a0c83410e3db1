/** Small applications for scenarios. */

/** One web server that answers with `says`; `fields` are further lines of its pod. */
export function webYaml(name: string, says: string, fields: string[] = []): string {
  return `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars: { SAYS: ${JSON.stringify(says)}, OWN_URL: <% URL %> }
${fields.map((line) => `      ${line}\n`).join('')}      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            const { SAYS, OWN_URL } = process.env;
            createServer((request, response) => response.end(\`\${SAYS} at \${OWN_URL}\${request.url}\`)).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;
}
