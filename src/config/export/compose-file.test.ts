import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../parse.ts';
import type { AppSpec } from '../spec/spec.ts';
import { exportCompose } from './compose-file.ts';

const examples = join(import.meta.dirname, '../../../examples');

function specOf(text: string): AppSpec {
  const parsed = parseConfiguration(text);
  assert.equal(parsed.kind, 'valid', JSON.stringify(parsed.diagnostics.filter(({ severity }) => severity === 'error')));
  return (parsed as { spec: AppSpec }).spec;
}

/**
 * The part that both forms can express: in Compose, every volume belongs to the application, and files are not secrets.
 */
function comparable({ registryLogin: _, ...spec }: AppSpec) {
  return {
    ...spec,
    pods: spec.pods.map(({ aliases = [], healthCheck, files, volumes, ...pod }) => ({
      ...pod,
      vars: Object.fromEntries(Object.entries(pod.vars).sort()),
      aliases: aliases.filter((name) => name !== `${pod.name}.pod`),
      files: files.map(({ path, content }) => ({ path, content })),
      volumes: volumes.map(({ mountPath, sizeBytes }) => ({ mountPath, sizeBytes })),
      healthCheck:
        healthCheck && 'initialDelaySeconds' in healthCheck ? { ...healthCheck, initialDelaySeconds: 0 } : healthCheck,
    })),
  };
}

const shop = `application:
  name: shop
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000, 9000]
      command: sh -c "echo $HOME; exec node server.js"
      vars:
        DATABASE_URL: postgres://app:tr0ub4dor&3@db.pod:5432/app
        PUBLIC_URL: <% URL %>
        PRICE: "5$ a \${{ month }}"
      files: [{ path: /etc/app.conf, content: "password = tr0ub4dor&3\\n" }]
      secrets: [{ name: key, data: "-----KEY-----", fileName: key.pem, mountPath: /run }]
      healthCheck: { path: /healthz, port: 3000, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 }
      dependsOn: [db, migrate]
      replicas: 2
      resources: { limits: { cpu: 500m, memory: 256Mi } }
      tmpfs: [{ mountPath: /cache, size: 16Mi, mode: "1777" }]
      stopGraceSeconds: 20
    - { name: api, image: "node:26-slim", path: /api, stripPrefix: true, sticky: true, servicePorts: [4000], healthCheck: { startPeriodSeconds: 90 } }
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: "tr0ub4dor&3", POSTGRES_DB: app }
      volumes: [{ name: data, size: 2Gi, mountPath: /var/lib/postgresql/data }]
      healthCheck: { command: [pg_isready, -U, app] }
    - { name: migrate, image: "node:26-slim", resourceType: job, command: "node migrate.js" }
`;

test('Berth reads an export with its secrets as the application that it was made of', () => {
  for (const name of readdirSync(examples).filter((name) => name.endsWith('.yaml'))) {
    const spec = specOf(readFileSync(join(examples, name), 'utf8'));
    const { text } = exportCompose(spec, { withSecrets: true });
    assert.deepEqual(comparable(specOf(text)), comparable(spec), `${name}\n${text}`);
  }
  const spec = specOf(shop);
  const { text } = exportCompose(spec, { withSecrets: true });
  assert.deepEqual(comparable(specOf(text)), comparable(spec), text);
});

test('without its secrets an export has none of them, wherever they stand, and names what is to be set', () => {
  const { text, notes } = exportCompose(specOf(shop), { withSecrets: false });
  assert.doesNotMatch(text, /tr0ub4dor|-----KEY-----/);
  assert.match(text, /DATABASE_URL: postgres:\/\/app:\$\{POSTGRES_PASSWORD:\?is to be set\}@db\.pod:5432\/app/);
  assert.match(text, /password = \$\{POSTGRES_PASSWORD:\?is to be set\}/);
  assert.match(notes[0]!, /^Set these, in \.env or the environment: POSTGRES_PASSWORD, WEB_FILE_1\.$/);
  assert.match(notes[1]!, /\/ is web at 8080-8081, \/api is api at 8082/);
});

test('what Docker Compose would replace is escaped, and the address is a variable with a default', () => {
  const { text } = exportCompose(specOf(shop), { withSecrets: true });
  assert.match(text, /PRICE: 5\$\$ a \$\$\{\{ month \}\}/);
  assert.match(text, /PUBLIC_URL: \$\{BERTH_URL:-http:\/\/localhost:8080\}/);
  assert.match(text, /echo \$\$HOME/);
});
