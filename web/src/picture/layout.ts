/** The layout of a picture: the positions of an application's pods, and the lines between them. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import type { PodOutline } from '../../../src/config/spec/spec-outline.ts';

export type Point = { x: number; y: number };
export type Box = Point & { width: number; height: number };
export type Line = { from: string; to: string; points: Point[]; label?: { text: string } & Point };
export type Layout = { width: number; height: number; boxes: Map<string, Box>; lines: Line[] };

/** The visitors of the application; a pod cannot have this name. */
export const visitors = 'Visitors';

/** In pixels, as in the style sheet. */
const podHeight = 62;
const footHeight = 24;
const podWidth = { least: 150, most: 300, padding: 28 };
/** Letter widths of the name and of the code below it, wider than the average letter of a font. */
const letterWidth = { name: 8.6, code: 7.4 };
const stateWidth = 72;
const visitorsSize = { width: 108, height: 40 };
const margin = 12;

/** `across`: from left to right. `down`: from top to bottom, for narrow screens. */
/** @param hasStates the state of each pod is shown next to its name. */
export function layOut(pods: readonly PodOutline[], direction: 'across' | 'down', hasStates = false): Layout {
  const graph = new Graph();
  const isAcross = direction === 'across';
  graph.setGraph({
    rankdir: isAcross ? 'LR' : 'TB',
    nodesep: isAcross ? 22 : 28,
    ranksep: isAcross ? 62 : 46,
    edgesep: 14,
    marginx: margin,
    marginy: margin,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const isPublic = pods.some(({ paths }) => paths.length > 0);
  if (isPublic) graph.setNode(visitors, { ...visitorsSize });
  for (const pod of pods) {
    graph.setNode(pod.name, {
      width: widthOf(pod, hasStates),
      height: podHeight + (hasFoot(pod) ? footHeight : 0),
    });
  }
  for (const { name, paths, uses } of pods) {
    const label = paths.join(' ');
    if (paths.length > 0)
      graph.setEdge(visitors, name, { label, width: 8 + label.length * 7, height: 18, labelpos: 'c' });
    for (const used of uses) graph.setEdge(name, used, {});
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const boxes = new Map((graph.nodes() as string[]).map((name) => [name, boxOf(graph.node(name) as Box)]));
  const lines = (graph.edges() as { v: string; w: string }[]).map(({ v, w }) => {
    const line = lineOf(v, w, graph.edge(v, w) as DagreEdge);
    return { ...line, points: joined(line.points, boxes.get(v)!, boxes.get(w)!, direction) };
  });
  return { width: Math.ceil(width), height: Math.ceil(height), boxes, lines };
}

/** Wide enough to read its name and image. A longer text is cut, and shown on hover. */
function widthOf({ name, image }: PodOutline, hasStates: boolean): number {
  const ofName = name.length * letterWidth.name + (hasStates ? stateWidth : 0);
  const ofImage = image.split('/').at(-1)!.length * letterWidth.code;
  const wanted = Math.ceil(Math.max(ofName, ofImage)) + podWidth.padding;
  return Math.min(podWidth.most, Math.max(podWidth.least, wanted));
}

/** The length of a line before it bends. */
const straight = 12;

/**
 * A line to a later box connects the midpoints of two opposite sides. A line to an earlier box, or to one in the same
 * rank, keeps the computed end points.
 */
function joined(points: Point[], from: Box, to: Box, direction: 'across' | 'down'): Point[] {
  const isAcross = direction === 'across';
  const gap = isAcross ? to.x - (from.x + from.width) : to.y - (from.y + from.height);
  if (gap < 2 * straight) return points;
  const between = points.slice(1, -1);
  const [startX, startY] = [from.x + from.width / 2, from.y + from.height / 2];
  const [endX, endY] = [to.x + to.width / 2, to.y + to.height / 2];
  if (isAcross) {
    const [left, right] = [from.x + from.width, to.x];
    const bends = between.filter(({ x }) => x > left + straight && x < right - straight);
    const [first, last] = [
      { x: left + straight, y: startY },
      { x: right - straight, y: endY },
    ];
    return [{ x: left, y: startY }, first, ...bends, last, { x: right, y: endY }];
  }
  const [top, bottom] = [from.y + from.height, to.y];
  const bends = between.filter(({ y }) => y > top + straight && y < bottom - straight);
  const [first, last] = [
    { x: startX, y: top + straight },
    { x: endX, y: bottom - straight },
  ];
  return [{ x: startX, y: top }, first, ...bends, last, { x: endX, y: bottom }];
}

/** Returns whether the pod has more details than its name and image. */
export function hasFoot({ volumes, replicas, resourceType }: PodOutline): boolean {
  return volumes.length > 0 || replicas > 1 || resourceType !== 'deployment';
}

type DagreEdge = { points: Point[]; x?: number; y?: number; label?: string };

/** Dagre says where the middle is. */
function boxOf({ x, y, width, height }: Box): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function lineOf(from: string, to: string, { points, x, y, label }: DagreEdge): Line {
  const isLabelled = label !== undefined && x !== undefined && y !== undefined;
  return { from, to, points, ...(isLabelled && { label: { text: label, x, y } }) };
}

/** A soft line through the points, as the `d` of an SVG path. */
export function drawLine(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const last = rest.pop();
  if (!last) return '';
  const bends = rest.map((point, index) => {
    const next = rest[index + 1] ?? last;
    const end = index === rest.length - 1 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${round(point.x)} ${round(point.y)} ${round(end.x)} ${round(end.y)}`;
  });
  const straight = bends.length === 0 ? [`L${round(last.x)} ${round(last.y)}`] : [];
  return [`M${round(first.x)} ${round(first.y)}`, ...bends, ...straight].join('');
}

/** The head of an arrow at the end of a line, as the `d` of an SVG path. */
export function drawHead(points: readonly Point[], size = 7): string {
  const [before, tip] = points.slice(-2);
  if (!before || !tip) return '';
  const length = Math.hypot(tip.x - before.x, tip.y - before.y) || 1;
  const along = { x: ((tip.x - before.x) / length) * size, y: ((tip.y - before.y) / length) * size };
  const corner = (side: 1 | -1) =>
    `${round(tip.x - along.x + (side * along.y) / 2)} ${round(tip.y - along.y - (side * along.x) / 2)}`;
  return `M${round(tip.x)} ${round(tip.y)}L${corner(1)}L${corner(-1)}z`;
}

type Size = { width: number; height: number };

/** Returns the scale of a picture in a frame: at most 1, and never below a readable size. */
export function scaleFor(picture: Size, frame: Size): number {
  return Math.max(smallestScale, wholeScale(picture, frame));
}

/** Returns the scale at which the whole picture is visible, readable or not. */
export function wholeScale({ width, height }: Size, frame: Size): number {
  return Math.min(1, frame.width / width, frame.height / height);
}

const smallestScale = 0.68;

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
