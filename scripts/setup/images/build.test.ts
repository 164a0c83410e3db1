import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upstreamVersion } from './build.ts';
import { missingLibraries } from './packages.ts';
import { librariesIn } from './root.ts';

test('the upstream version is a Debian version without epoch and revision', () => {
  assert.equal(upstreamVersion('5:7.0.15-1~deb12u10'), '7.0.15');
  assert.equal(upstreamVersion('1.22.1-9+deb12u11'), '1.22.1');
  assert.equal(upstreamVersion('8.0'), '8.0');
});

test('an image gets only the libraries of an installation', () => {
  const plan = [
    'Inst libjemalloc2 (5.3.0-1 Debian:12 [amd64])',
    'Inst libpq5 [15.1-1] (15.20-0+deb12u1 Debian:12 [amd64])',
    'Inst libpq-dev [15.1-1] (15.20-0+deb12u1 Debian:12 [amd64]) []',
    'Inst libllvm14 (1:14.0.6-12 Debian:12 [amd64])',
    'Inst libc6 [2.36-8] (2.36-9 Debian:12 [amd64])',
    'Inst postgresql-common (248 Debian:12 [all])',
    'Conf libjemalloc2 (5.3.0-1 Debian:12 [amd64])',
  ].join('\n');
  assert.deepEqual(missingLibraries(plan), ['libjemalloc2', 'libpq5']);
});

test('the libraries of several programs are read once each, the loader among them', () => {
  const listing = [
    '/tmp/a:',
    '\tlinux-vdso.so.1 (0x00007f6a8ebe8000)',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f6a8ebc7000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f6a8ebea000)',
    '/tmp/b:',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f6a8ebc7000)',
    '\tstatically linked',
  ].join('\n');
  assert.deepEqual(librariesIn(listing), ['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2']);
  assert.throws(() => librariesIn('\tlibpq.so.5 => not found\n'), /libpq\.so\.5 is neither/);
});
