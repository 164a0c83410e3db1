/** PURE. Words and phrases that the style guide (docs/contributing/style.md) avoids, and what to write instead. */

export type Pattern = {
  name: string;
  /** Has the flags `g` and `i`. */
  matches: RegExp;
  suggestion: string;
};

export const patterns: readonly Pattern[] = [
  { name: 'tell', matches: /\b(tell|tells|told|telling)\b/gi, suggestion: 'report, return, show, notify' },
  { name: 'whoever', matches: /\b(whoever|whatever|whichever|for who)\b/gi, suggestion: 'name the person or thing' },
  { name: 'nobody', matches: /\b(nobody|somebody|anybody)\b/gi, suggestion: 'no user, another client, an operator' },
  { name: 'everybody', matches: /\beverybody\b/gi, suggestion: 'all users, every client' },
  { name: 'beside', matches: /\bbesides?\b/gi, suggestion: 'next to, during, in addition' },
  { name: 'meanwhile', matches: /\bmeanwhile\b/gi, suggestion: 'while, during, in the meantime' },
  { name: 'anew', matches: /\banew\b/gi, suggestion: 'again, from scratch' },
  {
    name: 'by now',
    matches: /\b(by now|of before|all the while|at the most)\b/gi,
    suggestion: 'now, previous, while, at most',
  },
  {
    name: 'is no',
    matches: /\b(is|are|was|were) (no (?!more\b|longer\b)|none\b)/gi,
    suggestion: 'is not a …, is missing',
  },
  {
    name: 'nothing of',
    matches: /\b(nothing|none|all|much|so much|so many) (of (that|it|what)|that)\b/gi,
    suggestion: 'name it',
  },
  {
    name: 'what without a noun',
    matches: /(?<=^|[.;:] )(What|Who|Whose|Those (?:that|who)|That which|Of (?:what|those))\b(?![^.;]*\?)/g,
    suggestion: 'start with the noun',
  },
  { name: 'ask', matches: /\b(asks|asked|asking)\b/gi, suggestion: 'request, query, call' },
  {
    name: 'coined',
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
