/** PURE. By which names headings of Markdown are linked to. */

/** As GitHub makes them: in lower case, with dashes for spaces, without punctuation, and numbered where one comes again. */
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
