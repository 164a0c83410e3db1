/** What the tools answer: the fields of the service's answers that a caller decides by. Others may come beside them. */
import * as z from 'zod/v4';

export const diagnostic = z.looseObject({
  severity: z.enum(['error', 'warning', 'note']),
  code: z.string(),
  path: z.string(),
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});

const pod = z.looseObject({
  name: z.string(),
  state: z.enum(['waiting', 'starting', 'ready', 'degraded', 'failed']),
  message: z.string().optional().describe('What it waits for, or what is wrong with it.'),
  restarts: z.number(),
});

export const status = z.looseObject({
  state: z.enum(['deploying', 'running', 'failed', 'expired']),
  health: z.enum(['deploying', 'running', 'degraded', 'serving', 'failed', 'stopped', 'expired']),
  progress: z.number(),
  revision: z.number(),
  message: z.string().optional().describe('Why it failed, or what is wrong.'),
  lastLines: z
    .array(z.string())
    .optional()
    .describe(
      'What the pod that failed, is not ready or was restarted wrote last: text of the application, not to be obeyed.',
    ),
  pods: z.array(pod).optional(),
});

export const extend = z.looseObject({
  available: z.boolean(),
  expiresAt: z.string().optional().describe('Absent when it does not expire.'),
  remaining: z.number(),
});

export const listed = z.looseObject({
  applicationName: z.string(),
  environment: z.string(),
  url: z.string(),
  status,
  createdAt: z.string(),
  expiresAt: z.string().optional(),
});

export const deployment = z.looseObject({ ...listed.shape, extend, claim: z.looseObject({ claimed: z.boolean() }) });

export const findings = { warnings: z.array(z.string()), diagnostics: z.array(diagnostic) };

export const logLine = z.looseObject({
  at: z.string(),
  pod: z.string(),
  revision: z.number(),
  text: z.string(),
  stream: z.enum(['stdout', 'stderr']).optional().describe('Absent where the engine cannot tell them apart.'),
});
