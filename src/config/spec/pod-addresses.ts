/** Host names of pods for each other. Pure. */
import type { AppSpec, PodSpec } from './spec.ts';

type Named = Pick<PodSpec, 'name' | 'resourceType' | 'replicas' | 'aliases'>;

/** The pod behind each name. */
export type AddressBook = ReadonlyMap<string, string>;

/**
 * Maps every name to its pod. A pod's own names take precedence. An alias that matches two pods goes to the first pod
 * in the document. Documents also use `<app>-<pod>.pod`, `<pod>-<app>.pod` and `<app>-<pod>-service` (design, section
 * 10), which resolve unless a pod has that name.
 */
export function addressBook({ name: application, pods }: { name: string; pods: Named[] }): AddressBook {
  const book = new Map<string, string>();
  const enter = (name: string, pod: Named) => {
    if (!book.has(name)) book.set(name, pod.name);
  };
  for (const pod of pods) {
    enter(`${pod.name}.pod`, pod);
    enter(pod.name, pod);
  }
  for (const pod of pods) for (const name of replicaNames(pod)) enter(name, pod);
  for (const pod of pods) for (const name of pod.aliases ?? []) enter(name, pod);
  for (const pod of pods) for (const name of rescuedNames(application, pod)) enter(name, pod);
  return book;
}

/** Returns the names of one replica of a pod, its own first. `book`: the address book of the application. */
export function aliasesOf(spec: AppSpec, book: AddressBook, pod: PodSpec, replica: number): string[] {
  const own = [`${pod.name}.pod`, pod.name];
  const others = pod.resourceType === 'statefulset' ? namesOfReplica(pod.name, replica) : [];
  const further = [...(pod.aliases ?? []), ...rescuedNames(spec.name, pod)];
  return [...new Set([...own, ...others, ...further])].filter((name) => book.get(name) === pod.name);
}

function replicaNames({ name, resourceType, replicas }: Named): string[] {
  if (resourceType !== 'statefulset') return [];
  return Array.from({ length: replicas }, (_, replica) => namesOfReplica(name, replica)).flat();
}

function namesOfReplica(name: string, replica: number): string[] {
  return [`${name}-${replica}.pod`, `${name}-${replica}`];
}

function rescuedNames(application: string, { name }: Named): string[] {
  return [`${application}-${name}.pod`, `${name}-${application}.pod`, `${application}-${name}-service`];
}

/** Names that end in `.pod` in a text. A name has at most 63 characters, so that no text takes quadratic time. */
export function podNamesIn(text: string): string[] {
  if (!text.includes('.pod')) return [];
  return Array.from(
    text.matchAll(/(?<![A-Za-z0-9_.-])([A-Za-z0-9][A-Za-z0-9-]{0,62})\.pod(?![A-Za-z0-9_-])/g),
    (m) => m[1]!,
  );
}
