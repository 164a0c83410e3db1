import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';
import { type Box, drawHead, drawLine, layOut, scaleFor, visitors, wholeScale } from './layout.ts';

const pod = (name: string, parts: Partial<PodOutline> = {}): PodOutline => ({
  name,
  image: 'node:26-slim',
  paths: [],
  ports: [3000],
  uses: [],
  volumes: [],
  replicas: 1,
  resourceType: 'deployment',
  ...parts,
});
const shop = [
  pod('web', { paths: ['/'], uses: ['api'] }),
  pod('api', { paths: ['/api'], uses: ['db', 'cache'] }),
  pod('db', { volumes: [{ name: 'data', size: '1 GiB', mountPath: '/data' }] }),
  pod('cache'),
];

test('visitors come first in the picture, and every pod follows the pods that use it', () => {
  const { boxes, width } = layOut(shop, 'across');
  const left = (name: string) => boxes.get(name)!.x;
  assert.ok(left(visitors) < left('web') && left('web') < left('api') && left('api') < left('db'));
  const down = layOut(shop, 'down');
  assert.ok(down.boxes.get('web')!.y < down.boxes.get('api')!.y);
  assert.ok(down.width < width);
});

test('no two boxes overlap, and all are inside the picture', () => {
  for (const direction of ['across', 'down'] as const) {
    const { boxes, width, height } = layOut(shop, direction);
    const all = [...boxes.values()];
    for (const [index, box] of all.entries()) {
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height);
      for (const other of all.slice(index + 1)) assert.ok(!overlap(box, other));
    }
  }
});

test('a public route is a line from the visitors with its path', () => {
  const lines = layOut(shop, 'across').lines.map(({ from, to, label }) => [from, to, label?.text]);
  assert.deepEqual(lines, [
    [visitors, 'web', '/'],
    ['web', 'api', undefined],
    [visitors, 'api', '/api'],
    ['api', 'db', undefined],
    ['api', 'cache', undefined],
  ]);
});

test('pods that use each other, and applications with only jobs, have a picture too', () => {
  const circle = layOut([pod('one', { uses: ['two'] }), pod('two', { uses: ['one'] })], 'across');
  assert.deepEqual([...circle.boxes.keys()], ['one', 'two']);
  assert.equal(circle.lines.length, 2);
});

test('the head of an arrow points where its line goes', () => {
  const across = [
    { x: 0, y: 0 },
    { x: 20, y: 0 },
  ];
  assert.equal(drawHead(across, 6), 'M20 0L14 -3L14 3z');
  assert.equal(
    drawHead(
      [
        { x: 0, y: 0 },
        { x: 0, y: 10 },
      ],
      6,
    ),
    'M0 10L3 4L-3 4z',
  );
  assert.equal(drawHead([]), '');
});

test('a picture shrinks to its frame as far as it can still be read', () => {
  const frame = { width: 400, height: 300 };
  assert.equal(scaleFor({ width: 200, height: 100 }, frame), 1);
  assert.equal(scaleFor({ width: 500, height: 100 }, frame), 0.8);
  assert.equal(scaleFor({ width: 400, height: 400 }, frame), 0.75);
  assert.equal(scaleFor({ width: 4000, height: 100 }, frame), 0.68);
  assert.equal(wholeScale({ width: 4000, height: 100 }, frame), 0.1);
});

test('a line is drawn from its first to its last point', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 20, y: 10 },
    { x: 30.04, y: 10 },
  ];
  assert.equal(drawLine(points), 'M0 0Q10 0 15 5Q20 10 30 10');
  assert.equal(drawLine(points.slice(0, 2)), 'M0 0L10 0');
  assert.equal(drawLine([]), '');
});

test('a box is as wide as its name and image need, within bounds', () => {
  const pods = [pod('a'), pod('a-service-with-a-long-name'), pod('x'.repeat(63))];
  const width = (hasStates: boolean) =>
    pods.map(({ name }) => layOut(pods, 'across', hasStates).boxes.get(name)!.width);
  const [short, long, longest] = width(false);
  assert.ok(short! < long! && long! < longest!, String([short, long, longest]));
  assert.equal(longest, 300);
  assert.ok(width(true)[1]! > long!);
});

test('a line to a later box joins the middles of two sides', () => {
  for (const direction of ['across', 'down'] as const) {
    const { boxes, lines } = layOut(shop, direction);
    for (const { from, to, points } of lines) {
      const [start, end] = [boxes.get(from)!, boxes.get(to)!];
      const [first, last] = [points[0]!, points.at(-1)!];
      if (direction === 'across') {
        assert.deepEqual(first, { x: start.x + start.width, y: start.y + start.height / 2 });
        assert.deepEqual(last, { x: end.x, y: end.y + end.height / 2 });
      } else {
        assert.deepEqual(first, { x: start.x + start.width / 2, y: start.y + start.height });
        assert.deepEqual(last, { x: end.x + end.width / 2, y: end.y });
      }
    }
  }
});

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
