/** The names of kept texts. */

type Place = { environment: string; applicationName: string };

/** What is being written on the start page. */
export const startDraft = 'draft';
/** What was written there before an example, a file or another document took its place. */
export const earlierDraft = 'earlier-draft';

/** An edited configuration that was not sent yet. */
export function draftOf({ environment, applicationName }: Place): string {
  return `draft/${environment}/${applicationName}`;
}

/** The configuration of a deployment as it was sent or seen last. */
export function documentOf({ environment, applicationName }: Place): string {
  return `document/${environment}/${applicationName}`;
}
