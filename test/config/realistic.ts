/** Documents as people and language models write them: complete applications, and the mistakes they make in them. */
import { applications } from './realistic-applications.ts';
import { mistakes } from './realistic-mistakes.ts';
import { moreApplications } from './realistic-stacks.ts';

/** `expect`: the codes of the errors in document order; none when it is accepted. `warns`: warnings and notes it must have. */
export type Realistic = { title: string; text: string; expect: string[]; warns?: string[] };

export const docs: Realistic[] = [...applications, ...moreApplications, ...mistakes];
