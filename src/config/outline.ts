/** The outline of a configuration: its pods and how they hang together, without a value that could be a secret. Pure. */
import { addressBook } from './addresses.ts';
import type { AppSpec, PodSpec } from './spec.ts';
import { printBytes } from './units.ts';

export type PodOutline = {
  name: string;
  /** As the document writes it. */
  image: string;
  /** Public paths; empty for an internal pod. */
  paths: string[];
  ports: number[];
  /** The pods that it names in its variables, command and files, or waits for. */
  uses: string[];
  volumes: { name: string; size: string; mountPath: string }[];
  resourceType: PodSpec['resourceType'];
  replicas: number;
};

/** One entry per pod, in the document's order. */
export function outlineOf(spec: AppSpec): PodOutline[] {
  const book = addressBook(spec);
  return spec.pods.map((pod) => ({
    name: pod.name,
    image: pod.image,
    paths: pod.path === undefined ? [] : [pod.path],
    ports: pod.servicePorts,
    uses: usedBy(pod, book),
    volumes: pod.volumes.map(({ name, sizeBytes, mountPath }) => ({ name, size: printBytes(sizeBytes), mountPath })),
    resourceType: pod.resourceType,
    replicas: pod.replicas,
  }));
}

/** In the order of the address book: that of the document. */
function usedBy(pod: PodSpec, book: Map<string, string>): string[] {
  const texts = [...Object.values(pod.vars), ...(pod.command ?? []), ...pod.files.map(({ content }) => content)];
  const used = new Set([...pod.dependsOn, ...texts.flatMap((text) => podsIn(text, book))]);
  used.delete(pod.name);
  return [...new Set(book.values())].filter((name) => used.has(name));
}

/** A whole value that is a name (`DB_HOST: db`), and names at places where only a host can be. */
function podsIn(text: string, book: Map<string, string>): string[] {
  const whole = book.get(text.trim());
  if (whole !== undefined) return [whole];
  return Array.from(text.matchAll(/[A-Za-z0-9][\w.-]*/g), ({ 0: word, index }) => {
    const end = index + word.length;
    const isHost =
      word.endsWith('.pod') ||
      /\/\/$|@$/.test(text.slice(Math.max(0, index - 2), index)) ||
      /^:\d/.test(text.slice(end, end + 2));
    return isHost ? book.get(word) : undefined;
  }).filter((name) => name !== undefined);
}
