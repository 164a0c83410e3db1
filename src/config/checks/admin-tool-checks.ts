/** Warns about public administration tools without a password or with a well-known one. */
import { openTool } from '../software/admin-tools.ts';
import type { PodContext } from './context.ts';

export function checkAdminTool({ pod, path, report }: PodContext): void {
  const open = pod.path === undefined ? undefined : openTool(pod);
  if (!open) return;
  const why = {
    'no-password': 'has no password of its own',
    'default-password': 'has its default password',
    'known-password': 'has a well-known default password',
  };
  const message = `everyone can reach ${open.name} at ${pod.path}, which ${why[open.because]}`;
  const internal = 'remove the path to keep it internal';
  report.warn([...path, 'path'], 'public-admin-tool', message, {
    hint:
      open.because === 'no-password'
        ? internal
        : `write ${open.variable}: <% SECRET ${open.variable} %>, or ${internal}`,
  });
}
