/** Image references of documents, by the grammar of the distribution project (its `reference` package). Pure. */
import { splitImage } from './image-names.ts';

export type ImageReference =
  | { kind: 'complete'; usesRegistry: boolean; tag?: string; lowerCase: string }
  | { kind: 'untagged'; lowerCase: string }
  | { kind: 'placeholder' }
  | { kind: 'invalid'; because: string; instead?: string };

const registryScriptlet = /^<%\s{0,9}REGISTRY\s{0,9}%>\//;
const host = '(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\])(?::\\d{1,5})?';
const component = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const grammar = new RegExp(`^(?:${host}/)?${component}(?:/${component})*$`);
const pushedGrammar = new RegExp(`^${component}(?:/${component})*$`);
const tagGrammar = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestGrammar = /^sha256:[0-9a-f]{64}$/;
/** Names that announce that the image will be filled in later. */
const placeholderName =
  /^(?:todo|tbd|fixme|change[-_]?me|replace[-_]?me|replace[-_]?with[-_].*|placeholder|image|your[-_]image|image[-_]?name|image[-_]url|none|null|undefined|x{3,}|\.{3,}|…)(?::[\w.-]+)?$/i;
const maxLength = 512;

/** Sorts a reference as written in a document; `<% REGISTRY %>/…` counts as a registry host. */
export function parseImageReference(image: string): ImageReference {
  if (image.length > maxLength) return { kind: 'invalid', because: 'it is too long' };
  // An unquoted `# filled by pipeline` is a YAML comment and leaves nothing; quoted, or in brackets, it arrives here.
  if (/^$|^[#[]|<[^%]|\$\{|\{\{|^\$[A-Z(]/.test(image) || placeholderName.test(image)) return { kind: 'placeholder' };
  const instead = imageOfAddress(image);
  if (instead) return { kind: 'invalid', because: 'it is an address, not an image', instead };

  if (image.startsWith('./')) return parsePushed(image);

  const usesRegistry = registryScriptlet.test(image);
  const prefix = registryScriptlet.exec(image)?.[0] ?? '';
  const { name, tag, digest } = splitImage(image.slice(prefix.length));
  if (!grammar.test(name.toLowerCase()) || (tag !== undefined && !tagGrammar.test(tag))) {
    return { kind: 'invalid', because: reasonFor(image) };
  }
  if (digest !== undefined && !digestGrammar.test(digest)) {
    return { kind: 'invalid', because: 'a digest is sha256: and 64 hexadecimal digits' };
  }
  const written = `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
  const lowerCase = `${prefix}${name.toLowerCase()}${written}`;
  if (written === '') return { kind: 'untagged', lowerCase };
  return { kind: 'complete', usesRegistry, ...(tag !== undefined && { tag }), lowerCase };
}

/** One that its owner has pushed to the service, by the name that it was given: `./api:1`. */
function parsePushed(image: string): ImageReference {
  const { name, tag = 'latest', digest } = splitImage(image);
  const isName = pushedGrammar.test(name.toLowerCase().slice(2)) && tagGrammar.test(tag);
  if (!isName || (digest !== undefined && !digestGrammar.test(digest)))
    return { kind: 'invalid', because: 'behind ./ stands the name and the tag of an image that was pushed' };
  const lowerCase = name.toLowerCase() + image.slice(name.length);
  return { kind: 'complete', usesRegistry: false, tag, lowerCase };
}

/** `https://ghcr.io/a/b:1` and pages of Docker Hub name an image all the same. */
function imageOfAddress(image: string): string | undefined {
  const hub = /^(?:https?:\/\/)?hub\.docker\.com\/(?:_\/|r\/)([a-z0-9._/-]+?)(?:\/tags.*)?\/?$/i.exec(image);
  if (hub) return hub[1];
  const [, rest] = /^(?:https?|docker|oci):\/\/(.+)$/i.exec(image) ?? [];
  const pulled = /^docker pull (\S+)$/.exec(image)?.[1];
  return rest ?? pulled;
}

function reasonFor(image: string): string {
  if (/^\.{0,2}\/|^\.+$|^~/.test(image)) return 'it is a path, and an image must include a tag';
  if (/\s/.test(image)) return 'it holds a space';
  if (image.endsWith(':')) return 'the tag behind the colon is missing';
  if (/^\/|\/\/|\/$/.test(image)) return 'a part between two slashes is empty';
  return 'it contains characters that are not valid in an image reference';
}
