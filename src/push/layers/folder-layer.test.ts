import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FolderLayer } from '../../folder/project.ts';
import { type BasePaths, recordEntry, resolvePath } from '../../lib/image-paths.ts';
import { layerEntries } from './folder-layer.ts';

type ListedEntry = [name: string, type: string, more?: { mode?: number; uid?: number; target?: string }];

function imageOf(...entries: ListedEntry[]): BasePaths {
  const paths: BasePaths = new Map();
  for (const [name, type, { mode = 0o755, uid = 0, target = '' } = {}] of entries)
    recordEntry(paths, { name, type, mode, uid, gid: uid, target });
  return paths;
}

const at = { file: 'compose.yaml', line: 1, column: 1 };
const page = {
  kind: 'file',
  path: 'index.html',
  from: '/x/index.html',
  mode: 0o644,
  changedAt: 0,
  sizeBytes: 1,
} as const;

function reported(layer: Omit<FolderLayer, 'from' | 'except' | 'at'>, paths: BasePaths): string[] {
  return layerEntries({ from: '/x', except: [], at, ...layer }, [page], paths).map(({ kind, path, mode, ...rest }) => {
    const { uid = 0 } = rest as { uid?: number };
    return `${kind} ${path} ${mode.toString(8)} ${uid}`;
  });
}

test('the folders above stay as the image has them, and a mounted folder hides what was there', () => {
  const paths = imageOf(['srv/', 'directory', { mode: 0o711, uid: 7 }], ['srv/www/', 'directory', { uid: 33 }]);
  assert.deepEqual(reported({ kind: 'folder', to: '/srv/www' }, paths), [
    'folder srv 711 7',
    'folder srv/www 755 33',
    'made srv/www/.wh..wh..opq 644 0',
    'file srv/www/index.html 644 0',
  ]);
  assert.deepEqual(reported({ kind: 'file', to: '/srv/www/new/name.html' }, paths), [
    'folder srv 711 7',
    'folder srv/www 755 33',
    'folder srv/www/new 755 0',
    'file srv/www/new/name.html 644 0',
  ]);
});

test('a place below a link of the image is where the link points, and the link stays', () => {
  const paths = imageOf(
    ['run/', 'directory'],
    ['var/run', 'symlink', { target: '../run' }],
    ['lib', 'symlink', { target: '/usr/lib' }],
  );
  assert.equal(resolvePath(paths, '/var/run/app'), '/run/app');
  assert.equal(resolvePath(paths, '/lib/x/../y'), '/usr/lib/y');
  assert.deepEqual(reported({ kind: 'file', to: '/var/run/app.conf' }, paths), [
    'folder run 755 0',
    'file run/app.conf 644 0',
  ]);
  const circle = imageOf(['a', 'symlink', { target: 'b' }], ['b', 'symlink', { target: 'a' }]);
  assert.match(resolvePath(circle, '/a/x'), /^\/[ab]\/x$/);
});

test('what a later layer has removed is not there', () => {
  const paths = imageOf(
    ['srv/', 'directory', { uid: 5 }],
    ['srv/deep/', 'directory', { uid: 5 }],
    ['data/', 'directory', { uid: 6 }],
    ['data/deep/', 'directory', { uid: 6 }],
    ['.wh.srv', 'file'],
    ['data/.wh..wh..opq', 'file'],
  );
  assert.deepEqual([...paths.keys()], ['/data']);
});
