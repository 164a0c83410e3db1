import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionUrlOf } from './connection-url.ts';

const of = (image: string, env: Record<string, string> = {}, ports: number[] = []) =>
  connectionUrlOf({ image, host: 'db.pod', ports, env });

test('a database is connected to by what its variables say, and by what its image has where they say nothing', () => {
  assert.equal(
    of('postgres:15', { POSTGRES_PASSWORD: 'a b/c' }),
    'postgresql://postgres:a%20b%2Fc@db.pod:5432/postgres',
  );
  assert.equal(
    of('postgis/postgis:16', { POSTGRES_USER: 'u', POSTGRES_PASSWORD: 'p', POSTGRES_DB: 'shop' }, [5433]),
    'postgresql://u:p@db.pod:5433/shop',
  );
  assert.equal(of('mariadb:11', { MARIADB_ROOT_PASSWORD: 'p' }), 'mysql://root:p@db.pod:3306');
  assert.equal(
    of('mysql:8', { MYSQL_ROOT_PASSWORD: 'r', MYSQL_USER: 'u', MYSQL_PASSWORD: 'p', MYSQL_DATABASE: 'd' }),
    'mysql://u:p@db.pod:3306/d',
  );
  assert.equal(of('redis:7'), 'redis://db.pod:6379');
  assert.equal(of('mongo:7'), 'mongodb://db.pod:27017');
  assert.equal(
    of('mongo:7', { MONGO_INITDB_ROOT_USERNAME: 'u', MONGO_INITDB_ROOT_PASSWORD: 'p' }),
    'mongodb://u:p@db.pod:27017/?authSource=admin',
  );
});

test('images that are not databases have no such address', () => {
  for (const image of ['nginx:1', 'node:26-slim', 'memcached:1']) assert.equal(of(image), undefined);
});
