/** Documents as people and language models write them: complete applications, and the mistakes they make in them. */
import { applications } from './realistic-applications.ts';
import type { Realistic } from './realistic-document.ts';
import { mistakes } from './realistic-mistakes.ts';
import { stacks } from './realistic-stacks.ts';
import { values } from './realistic-values.ts';

export const docs: Realistic[] = [...applications, ...stacks, ...values, ...mistakes];
