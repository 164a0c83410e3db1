/**
 * Placeholders in values and images that were never replaced. Reported once per kind, because one mistake affects many
 * places.
 */
import { listed, type Path, quote } from '../diagnostics/diagnostics.ts';
import type { Context } from './context.ts';

/** Whole values: `changeme`, `your-api-key`, `<token>`, `# filled by the pipeline`, `${{ secrets.KEY }}`. */
const placeholders = [
  /^<[A-Za-z][A-Za-z0-9 _-]{2,60}>$/,
  /^#\s{0,3}filled\b/i,
  /^(?:change|replace)[-_ ]?(?:me|this|it)\b/i,
  /[-_](?:change|replace)[-_](?:me|this|in[-_]prod\w*)$/i,
  /^replace[-_ ]?with[-_ ]/i,
  /^(?:your|insert|enter|add)[-_]\w/i,
  /[-_]here$/i,
  /^(?:placeholder|todo|tbd|fixme)$/i,
  /^(?:sk-|ghp_)?(?:x{4,}|\.{3}|…)$/i,
  /^\$?\{\{.*\}\}$/,
];
/** The password of an address. */
const inAddress = /:\/\/[^\s:/@]*:(?:change[-_]?me|placeholder|your[-_][\w-]{1,60})@/i;

function isPlaceholder(value: string): boolean {
  const text = value.trim();
  if (text.length > 200) return false;
  return placeholders.some((pattern) => pattern.test(text)) || inAddress.test(text);
}

export function checkPlaceholders(context: Context): void {
  checkValues(context);
  checkExampleImages(context);
}

type Place = { name: string; value: string; path: Path };

function checkValues({ spec, origin, report }: Context): void {
  const found = spec.pods.flatMap(({ vars, files }, index): Place[] => [
    ...Object.entries(vars).map(([name, value]) => ({ name, value, path: origin.variable(index, name) })),
    ...files.flatMap(({ path: name, content: value, isSecret }, position) =>
      isSecret ? [{ name, value, path: origin.file(index, position) }] : [],
    ),
  ]);
  const places = found.filter(({ value }) => isPlaceholder(value));
  const [first] = places;
  if (!first) return;
  const names = [...new Set(places.map(({ name }) => name))];
  const message = names.length === 1 ? `${quote(first.value)} is a placeholder` : `${listed(names)} are placeholders`;
  report.warn(first.path, 'placeholder-value', message, {
    hint: `put the value${names.length === 1 ? ' itself' : 's themselves'}; for a password that no person needs, \${NAME} generates a random value`,
  });
}

const exampleImage = /(?:^|\/)(?:your|my)-(?:org|organization|username|user|company|registry)\//i;

function checkExampleImages({ spec, origin, report }: Context): void {
  const first = spec.pods.findIndex(({ image }) => exampleImage.test(image));
  if (first === -1 || spec.registryLogin) return;
  const images = [...new Set(spec.pods.map(({ image }) => image).filter((image) => exampleImage.test(image)))];
  const message =
    images.length === 1
      ? `${quote(images[0]!)} looks like an example`
      : `${listed(images.map(quote))} look like examples`;
  const hint = images.length === 1 ? 'put the image that was built' : 'put the images that were built';
  report.warn([...origin.pod(first), 'image'], 'placeholder-value', message, { hint });
}
