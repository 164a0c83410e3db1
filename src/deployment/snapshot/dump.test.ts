import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, specOf } from '../../../test/support/deployments.ts';
import { dumpsOf, withoutDumped } from './dump.ts';

const volumes = [{ name: 'data', sizeBytes: 1000, mountPath: '/data' }];

test('databases with one replica and volumes of their own are dumped by their tools, and files of Redis stay files', () => {
  const spec = specOf(
    pod('db', { image: 'pgvector/pgvector:pg16', volumes }),
    pod('shop', { image: 'mariadb:11', volumes }),
    pod('cache', { image: 'valkey/valkey:8', volumes }),
    pod('fly', { image: 'docker.dragonflydb.io/dragonflydb/dragonfly', volumes }),
    pod('many', { image: 'postgres:15', volumes, replicas: 2 }),
    pod('memory', { image: 'postgres:15' }),
  );
  const dumps = dumpsOf(spec);
  assert.deepEqual(dumps, [
    { pod: 'db', kind: 'postgres', volumes: ['db-data'] },
    { pod: 'shop', kind: 'mysql', volumes: ['shop-data'] },
    { pod: 'cache', kind: 'redis', volumes: [] },
  ]);
  const files = withoutDumped([{ volume: 'db-data' }, { volume: 'cache-data' }], dumps);
  assert.deepEqual(files, [{ volume: 'cache-data' }]);
});
