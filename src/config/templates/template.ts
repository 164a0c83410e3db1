/** A template, an application to start from: a description, `---`, and its configuration. Pure. */
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { parse } from 'yaml';

const line = (description: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\n]+$', description });

/** The fields above `---`. */
const About = Type.Object(
  {
    title: line('The display name.', 40),
    description: line('A one-sentence description.', 120),
    tags: Type.Array(Type.String({ pattern: '^[a-z0-9-]{2,20}$' }), { minItems: 1, maxItems: 6, uniqueItems: true }),
    next: Type.Optional(line('The first steps after the application runs.', 160)),
  },
  { additionalProperties: false },
);

export type Template = Static<typeof About> & {
  name: string;
  images: string[];
  /** The configuration, with a comment that describes it. */
  document: string;
};

/** @param name that of its file, without the ending. Throws for a text of another form. */
export function readTemplate(name: string, text: string): Template {
  const [head, ...rest] = text.split(/^---$\n/m);
  const about: unknown = parse(head!);
  if (rest.length !== 1 || !Value.Check(About, about)) throw new Error(`templates/${name}.yaml has another form`);
  const { title, description, next } = about;
  const [body] = rest;
  const comments = [`${title}: ${description}`, ...(next === undefined ? [] : [next])];
  const images = Array.from(body!.matchAll(/^ *image: (\S+)$/gm), ([, image]) => image!);
  return {
    ...about,
    name,
    images: [...new Set(images)],
    document: `${comments.map((comment) => `# ${comment}\n`).join('')}${body}`,
  };
}
