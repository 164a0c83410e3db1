import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nameOfAddress, readGitAddress } from './git-address.ts';

const github = 'https://github.com/acme/shop';

test('an address has a repository, a ref and a folder', () => {
  const read = readGitAddress({ git: `${github}.git/`, ref: 'feature/a_b@2', path: './apps/web/' });
  assert.ok(read.ok);
  assert.equal(read.value.url.href, `${github}.git`);
  assert.equal(read.value.ref, 'feature/a_b@2');
  assert.deepEqual(read.value.path, ['apps', 'web']);
  assert.equal(nameOfAddress(read.value), 'web');
});

test('an application without a name is called like its repository', () => {
  for (const [git, name] of [
    [github, 'shop'],
    ['https://git.example/Acme/My_Shop.git', 'my-shop'],
    ['https://git.example/a/42', undefined],
  ] as const) {
    const read = readGitAddress({ git });
    assert.ok(read.ok);
    assert.equal(nameOfAddress(read.value), name);
  }
});

test('anything but the plain https address of a repository is refused', () => {
  const hostile = [
    ...['ext::sh -c id', 'file:///etc', '/etc/passwd', '--upload-pack=id', 'ssh://git@github.com/a/b', 'git://a/b'],
    ...['git@github.com:acme/shop.git', 'https://', 'https://github.com', 'https://github.com//', `${github}?a=b`],
    ...[`${github}#main`, `${github}\n`, ` ${github}`, 'https://a b/c', 'javascript:alert(1)', ''],
    `https://github.com/${'a'.repeat(3_000)}`,
  ];
  for (const git of hostile) assert.ok(!readGitAddress({ git }).ok, git);
  for (const ref of ['-main', '--upload-pack=id', 'a b', 'a..b', '../x', 'a/', '', 'a\n', 'a:b', 'x'.repeat(300)])
    assert.ok(!readGitAddress({ git: github, ref }).ok, ref);
  for (const path of ['/etc', '../x', 'a/../../b', 'a//b', '-x', 'a\0b', '', 'a\nb', 'x'.repeat(2_000)])
    assert.ok(!readGitAddress({ git: github, path }).ok, path);
});

test('a refusal of a login in the address repeats no part of the address', () => {
  for (const git of [
    'https://me:hunter22@github.com/a/b',
    'https://hunter22@github.com/a/b',
    'ftp://me:hunter22@a/b',
  ]) {
    const read = readGitAddress({ git });
    assert.ok(!read.ok);
    assert.doesNotMatch(JSON.stringify(read), /hunter22/);
  }
});

test('an accepted address stays inside the rules, for any input', () => {
  const signs = fc.string({ unit: fc.constantFrom(...'a/.-@:~?#%') });
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    signs,
    signs.map((rest) => `https://a.b${rest}`),
  );
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), fc.option(text, { nil: undefined }), (git, ref, path) => {
      for (const written of [
        { git, ref, path },
        { git: github, ref, path },
      ]) {
        const read = readGitAddress(written);
        if (!read.ok) continue;
        const { url, path: names } = read.value;
        assert.match(url.href, /^https?:\/\/[^@/?#]+\/[^?#]*[^/?#]$/);
        assert.doesNotMatch(read.value.ref ?? 'main', /^-|\.\.|[^\w.@+/-]/);
        for (const name of names) assert.ok(!['', '.', '..'].includes(name) && !name.startsWith('-'));
      }
    }),
  );
});
