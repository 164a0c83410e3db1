/** Compose files as people write them, in `applications/`, with what becomes of each. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { printSpec } from '../../src/config/spec/print-spec.ts';

const folder = join(import.meta.dirname, 'applications');

/** The routes and the codes of the warnings, or the codes and lines of the errors. */
const outcomes: Record<string, string> = {
  authentik: 'refused: required-variable:13, env-file:16, required-variable:22, bind-mount:25',
  bot: 'refused: no-public-path:1',
  directus: '/ directus:8055; placeholder-value',
  'django-celery': '/ nginx:80; generated-value; host-with-port; left-out; ignored',
  elk: '/ kibana:5601; ignored; store-not-public',
  extends: '/ web:8000; left-out',
  ghost: '/ ghost:2368; name-default; localhost-reference',
  gitea: 'refused: bind-mount:21, bind-mount:39',
  'home-assistant':
    'refused: no-public-path:1, bind-mount:6, bind-mount:7, unsupported:9, unsupported:10, unsupported:11',
  immich: 'refused: bind-mount:7, env-file:10, bind-mount:31',
  kafka: '/ kafka-ui:8080; not-http; public-admin-tool',
  keycloak: '/ keycloak:8080; generated-value; further-port',
  laravel: 'refused: unsupported:5',
  'laravel-on-its-own':
    '/ laravel-test:80, /mailpit mailpit:8025; renamed-service; further-port; generated-value; not-http; latest-image; store-not-public; further-route; public-admin-tool',
  'mern-development':
    'refused: build-without-image:3, bind-mount:6, build-without-image:10, env-file:12, bind-mount:13',
  mern: '/api api:5000, / client:80; not-http; ignored',
  metabase: '/ metabase:3000; name-default; ignored; latest-image; database-without-volume',
  minio: '/ minio:9001; further-port; public-admin-tool',
  n8n: '/ n8n:5678; generated-value; image-without-tag',
  'nats-grpc': '/ gateway:8080; store-not-public; not-http',
  nextcloud: '/ app:80; generated-value; local-port',
  'ollama-gpu': 'refused: unsupported:25',
  'ollama-gpu-on-its-own': '/ open-webui:8080; latest-image',
  'php-fpm': '/ web:80; not-http',
  plausible: '/ plausible:8000; renamed-service; ignored; generated-value',
  rails: '/ web:3000; generated-value',
  'spring-boot': '/ app:8080, /adminer adminer:8080; generated-value; ignored; further-route; public-admin-tool',
  strapi: 'refused: env-file:8, bind-mount:15, bind-mount:16, bind-mount:17',
  'supabase-like': '/ kong:8000; generated-value',
  'traefik-labels': 'refused: docker-socket:6, external:18',
  umami: '/ umami:3000; name-default; latest-image; placeholder-value',
  vaultwarden: '/ vaultwarden:80; local-port',
  vpn: 'refused: unsupported:5, unsupported:9',
  wordpress: '/ wordpress:80',
};

for (const [name, outcome] of Object.entries(outcomes)) {
  test(`${name}: ${outcome}`, () => assert.equal(outcomeOf(name), outcome));
}

for (const name of Object.keys(outcomes).filter((one) => !outcomes[one]!.startsWith('refused'))) {
  test(`${name}, written in the native form, is the same application`, () => {
    const parsed = parseConfiguration(readFileSync(join(folder, `${name}.yaml`), 'utf8'));
    assert.ok(parsed.kind === 'valid');
    const native = parseConfiguration(printSpec(parsed.spec));
    assert.equal(native.kind, 'valid', JSON.stringify(native.diagnostics));
    assert.deepEqual(native.kind === 'valid' && native.spec, parsed.spec);
  });
}

test('every file has an outcome', () => {
  const names = readdirSync(folder).map((file) => file.replace('.yaml', ''));
  assert.deepEqual(names.sort(), Object.keys(outcomes).sort());
});

function outcomeOf(name: string): string {
  const parsed = parseConfiguration(readFileSync(join(folder, `${name}.yaml`), 'utf8'));
  if (parsed.kind !== 'valid') {
    const errors = parsed.diagnostics.filter(({ severity }) => severity === 'error');
    return `refused: ${errors.map(({ code, line }) => `${code}:${line}`).join(', ')}`;
  }
  const routes = parsed.spec.pods.flatMap(({ name: pod, path, servicePorts }) =>
    path === undefined ? [] : [`${path} ${pod}:${servicePorts[0]}`],
  );
  const warnings = [...new Set(parsed.diagnostics.map(({ code }) => code))];
  return [routes.join(', '), ...warnings].join('; ');
}
