/** Applications that use what a workload is made of, for the record of a release (`record.ts`). */

const everything = `
application:
  name: everything
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000, 3001]
      command: node /app/server.mjs
      workingDir: /app
      user: "1000:1000"
      replicas: 2
      vars: { ZETA: last, ALPHA: first, URL: <% URL %>, PASSWORD: "\${DB_PASSWORD}", DB_PASSWORD: "\${DB_PASSWORD}" }
      resources: { requests: { cpu: 50m, memory: 32Mi }, limits: { memory: 128Mi } }
      healthCheck: { path: /healthz, port: 3000, periodSeconds: 5 }
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            createServer((_, response) => response.end('here')).listen(3000);
      secrets: [{ name: token, fileName: token.txt, data: "a secret" }]
    - name: members
      image: redis:7
      servicePorts: [6379]
      resourceType: statefulset
      replicas: 2
      volumes: [{ name: data, size: 16Mi, mountPath: /data }]
    - name: migration
      image: node:26-slim
      resourceType: job
      entrypoint: [node]
      command: [-e, "console.log('done')"]
    - name: agent
      image: node:26-slim
      resourceType: daemonset
      dependsOn: [members]
      command: node -e "setInterval(() => {}, 1000)"
`;

const compose = `
name: votes
services:
  web:
    image: nginx:1
    ports: ["8080:80"]
    depends_on: [cache]
  cache:
    image: redis:7
    command: redis-server --appendonly yes
    environment: [B=2, A=1]
    volumes: ["votes:/data"]
volumes: { votes: }
`;

const updated = (greeting: string) => `
application:
  name: updated
  pods:
    - { name: web, image: nginx:1, path: /, servicePorts: [80], vars: { GREETING: ${greeting} } }
    - { name: cache, image: redis:7, servicePorts: [6379] }
`;

const failing = `
application:
  name: updated
  pods:
    - { name: web, image: node:26-slim, path: /, servicePorts: [80], command: "node -e 'process.exit(3)'" }
`;

/** Each application's documents: what it starts with, then its updates. Of the last one the last update fails. */
export const histories = [
  [everything],
  [compose],
  [updated('hello'), updated('good evening')],
  [updated('fallback'), failing],
];
