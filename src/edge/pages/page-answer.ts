/** What a page of the edge says, before it is one: for people as a page, for programs as JSON. */
import type { Page } from './page-layout.ts';

export type PageAnswer = {
  status: 404 | 410 | 502 | 503;
  code: string;
  error: string;
  hint: string;
  retryAfterSeconds?: number;
  page: Page;
};
