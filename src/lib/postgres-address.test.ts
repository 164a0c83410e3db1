import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePostgresUrl } from './postgres-address.ts';

test('a URL says where, who, which database, and how the connection is protected', () => {
  assert.deepEqual(
    parsePostgresUrl('postgresql://ada:p%40ss%2Fw%25@db.example.com:6000/berth?sslmode=verify-ca&sslrootcert=/ca.pem'),
    {
      host: 'db.example.com',
      port: 6000,
      user: 'ada',
      password: 'p@ss/w%',
      database: 'berth',
      tls: { mode: 'verify-ca', caFile: '/ca.pem' },
    },
  );
  assert.deepEqual(parsePostgresUrl('postgres:///berth?host=/run/postgresql&user=ada'), {
    host: '/run/postgresql',
    port: 5432,
    user: 'ada',
    database: 'berth',
    tls: { mode: 'disable' },
  });
  assert.equal(parsePostgresUrl('postgresql://ada@[::1]:5433/berth').host, '::1');
});

test('a server elsewhere has to prove who it is, unless the URL says otherwise; one on this machine has not', () => {
  const modeOf = (url: string) => parsePostgresUrl(url).tls.mode;
  assert.equal(modeOf('postgresql://ada@db.example.com/berth'), 'verify-full');
  assert.equal(modeOf('postgresql://ada@10.0.0.5/berth'), 'verify-full');
  assert.equal(modeOf('postgresql://ada@localhost.example.com/berth'), 'verify-full');
  assert.equal(modeOf('postgresql://ada@db/berth?sslmode=disable'), 'disable');
  assert.equal(modeOf('postgresql://ada@localhost/berth'), 'disable');
  assert.equal(modeOf('postgresql://ada@127.0.0.1/berth?sslmode=verify-full'), 'verify-full');
});

test('what cannot be honoured is refused, and nothing of the URL is quoted: it may hold a password', () => {
  const refused = [
    'hunter2',
    'mysql://ada:hunter2@db/berth',
    'postgresql:///berth',
    'postgresql://ada:hunter2@db/berth?sslmode=prefer',
    'postgresql://ada:hunter2@db/berth?sslmode=hunter2',
    'postgresql://ada:hunter2@db/berth?hunter2=1',
    'postgresql://ada:hunter2%@db/berth',
    'postgresql://ada:hunter2@db/berth?sslcert=/a.pem',
    'postgresql:///berth?host=/run/postgresql&sslmode=require',
  ];
  for (const url of refused)
    assert.throws(
      () => parsePostgresUrl(url),
      ({ message }: Error) => /^(?:must|may)/.test(message) && !message.includes('hunter2'),
      url,
    );
});
