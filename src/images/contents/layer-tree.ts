/**
 * PURE. The merged file tree of all layers of an image, as engines unpack them (OCI image specification 1.1, "Applying
 * Changesets"): an upper layer replaces entries of lower ones, and `.wh.` removes them.
 */
import { posix } from 'node:path';
import { resolvePath } from '../../lib/image-paths.ts';

/** `at`: how many entries are before it in its layer. */
export type Said = { layer: number; at: number; type: string; target: string };

type Node = {
  said?: Said;
  children: Map<string, Node>;
  /** Below it there is nothing of a layer before this one. */
  prunedTo?: number;
};

export type LayerTree = {
  /**
   * Entries come in the order of the layers, and within a layer in its order. Returns false if there are too many to
   * keep in memory.
   */
  note(name: string, said: Said): boolean;
  /** The entries below a path, by their relative path, `.` for itself. Empty if the path is not a folder. */
  below(path: string): Map<string, Said>;
};

/** Each is some 400 bytes here; large images have 50,000 to 200,000. */
const mostPaths = 400_000;
/** As Linux has it. */
const longestPath = 4096;

const opaque = '.wh..wh..opq';
const whiteout = '.wh.';

export function createLayerTree(): LayerTree {
  const root: Node = { children: new Map() };
  let made = 0;

  function find(path: string): Node | undefined {
    let node: Node | undefined = root;
    for (const step of stepsOf(path)) node = node?.children.get(step);
    return node;
  }

  function provide(steps: readonly string[]): Node {
    let node = root;
    for (const step of steps) {
      let child = node.children.get(step);
      if (!child) {
        child = { children: new Map() };
        node.children.set(step, child);
        made++;
      }
      node = child;
    }
    return node;
  }

  function linkAt(path: string) {
    const said = find(path)?.said;
    return said?.type === 'symlink' ? { kind: 'link' as const, target: said.target } : undefined;
  }

  return {
    note(name, said) {
      if (name.length > longestPath) return false;
      const steps = stepsOf(name);
      const last = steps.at(-1) ?? '';
      if (last.startsWith(whiteout)) {
        const folder = find(posix.dirname(posix.join('/', name)));
        if (folder) removeLower(folder, last, said.layer);
        return true;
      }
      const node = provide(steps);
      node.said = said;
      if (said.type !== 'directory') node.children.clear();
      return made <= mostPaths;
    },
    below(path) {
      const found = new Map<string, Said>();
      const collect = (node: Node, at: string) => {
        if (node.said) found.set(at, node.said);
        for (const [step, child] of node.children) collect(child, posix.join(at, step));
      };
      const node = find(resolvePath({ get: linkAt }, path));
      if (node && (node.said?.type ?? 'directory') === 'directory') collect(node, '.');
      return found;
    },
  };
}

/** `..` leads to no place above. */
function stepsOf(path: string): string[] {
  return posix.join('/', path).split('/').filter(Boolean);
}

function removeLower(folder: Node, mark: string, layer: number): void {
  if (mark === opaque) {
    pruneBelow(folder, layer);
    return;
  }
  const gone = mark.slice(whiteout.length);
  const node = folder.children.get(gone);
  if (node && !isLeft(node, layer)) folder.children.delete(gone);
}

/** Once for each layer, however often it says so. */
function pruneBelow(node: Node, layer: number): void {
  if (node.prunedTo === layer) return;
  node.prunedTo = layer;
  for (const [step, child] of node.children) if (!isLeft(child, layer)) node.children.delete(step);
}

/** Whether anything of it is the layer's own; all else is gone then. */
function isLeft(node: Node, layer: number): boolean {
  pruneBelow(node, layer);
  if (node.said && node.said.layer !== layer) delete node.said;
  return node.said !== undefined || node.children.size > 0;
}
