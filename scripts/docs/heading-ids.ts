/** PURE. The anchors of headings in Markdown. */

/** As on GitHub: lower case, dashes for spaces, no punctuation, and a number if a heading repeats. */
export function headingIds(): (words: string) => string {
  const seen = new Map<string, number>();
  return (words) => {
    const id = words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    return times === 0 ? id : `${id}-${times}`;
  };
}
