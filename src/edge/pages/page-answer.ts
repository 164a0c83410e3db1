/** The content of an edge page before rendering: a page for people, JSON for programs. */
import type { Page } from './page-layout.ts';

export type PageAnswer = {
  status: 404 | 410 | 502 | 503;
  code: string;
  error: string;
  hint: string;
  retryAfterSeconds?: number;
  page: Page;
};
