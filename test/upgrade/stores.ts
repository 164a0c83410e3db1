/** What a release is recorded with; the folders of a record. */
export const stores = ['sqlite', 'postgresql'] as const;
