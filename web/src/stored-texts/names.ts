/** The names of kept texts. */

type Place = { environment: string; applicationName: string };

/** The draft on the start page. */
export const startDraft = 'draft';
/** The draft that an example, a file or another document has replaced. */
export const earlierDraft = 'earlier-draft';

/** An edited configuration that was not sent yet. */
export function draftOf({ environment, applicationName }: Place): string {
  return `draft/${environment}/${applicationName}`;
}

/** The configuration of a deployment as it was sent or seen last. */
export function documentOf({ environment, applicationName }: Place): string {
  return `document/${environment}/${applicationName}`;
}
