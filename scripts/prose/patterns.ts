/** PURE. Words and phrases that the style guide (docs/contributing/style.md) avoids, and what to write instead. */

export type Pattern = {
  name: string;
  /** Has the flags `g` and `i`. */
  matches: RegExp;
  suggestion: string;
};

export const patterns: readonly Pattern[] = [
  { name: 'verb of speech', matches: /\b(tell|tells|told|telling)\b/gi, suggestion: 'report, return, show, notify' },
  {
    name: 'vague person or thing',
    matches: /\b(whoever|whatever|whichever|for who)\b/gi,
    suggestion: 'name the person or thing',
  },
  {
    name: 'indefinite person',
    matches: /\b(nobody|somebody|anybody)\b/gi,
    suggestion: 'no user, another client, an operator',
  },
  { name: 'all people', matches: /\beverybody\b/gi, suggestion: 'all users, every client' },
  { name: 'vague place', matches: /\bbesides?\b/gi, suggestion: 'next to, during, in addition' },
  { name: 'vague period', matches: /\bmeanwhile\b/gi, suggestion: 'while, during, in the meantime' },
  { name: 'archaic adverb', matches: /\banew\b/gi, suggestion: 'again, from scratch' },
  {
    name: 'archaic time',
    matches: /\b(by now|of before|all the while|at the most)\b/gi,
    suggestion: 'now, previous, while, at most',
  },
  {
    name: 'negated noun',
    matches: /\b(is|are|was|were) (no (?!more\b|longer\b)|none\b)/gi,
    suggestion: 'is not a …, is missing',
  },
  {
    name: 'vague quantity',
    matches: /\b(nothing|none|all|much|so much|so many) (of (that|it|what)|that)\b/gi,
    suggestion: 'name it',
  },
  {
    name: 'missing noun',
    matches: /(?<=^|[.;:] )(What|Who|Whose|Those (?:that|who)|That which|Of (?:what|those))\b(?![^.;]*\?)/g,
    suggestion: 'start with the noun',
  },
  {
    name: 'fragment',
    matches: /(?<=^\s*)(?:Of|By(?! default)|Those|That of|The ones?)\b/g,
    suggestion: 'write a sentence, or name the thing: "The id of …", "Returns …"',
  },
  { name: 'verb of asking', matches: /\b(asks|asked|asking)\b/gi, suggestion: 'request, query, call' },
  {
    name: 'coined term',
    matches: /\b(giv(?:e|es|ing) way|go(?:es|ing) first|stands? aside|strikes? off|bells?|shel(?:f|ves))\b/gi,
    suggestion: 'yield CPU, priority, hand over, evict, notify, cache',
  },
];

/** The longest subject of a commit. */
export const longestSubject = 65;

export type Finding = { pattern: string; offset: number; found: string };

/** Every match in `text`, in the order of the patterns. */
export function findIn(text: string): Finding[] {
  return patterns.flatMap(({ name, matches }) =>
    [...text.matchAll(matches)].map(({ index, 0: found }) => ({ pattern: name, offset: index, found })),
  );
}
