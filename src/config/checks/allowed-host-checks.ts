/** Checks lists of allowed hosts: the host of the deployment must be in them. */
import { excerpt } from '../diagnostics/diagnostics.ts';
import { replaceValue } from '../document/edits.ts';
import { shortNameOf } from '../values/image-names.ts';
import { scriptletsIn } from '../variables/scriptlets.ts';
import type { PodContext } from './context.ts';
import type { Text } from './text-checks.ts';

/** Names of such lists in Django, Rails, Vite, Nextcloud, Symfony and others. */
const lists = /(?:^|_)(?:ALLOWED_HOSTS?|TRUSTED_HOSTS?|TRUSTED_DOMAINS)$/;
const proxies = /^(?:nginx|nginx-unprivileged|caddy|httpd|traefik|haproxy)$/;
const plain = /^[A-Za-z0-9.:[\]_-]+(?:([,; ]) ?[A-Za-z0-9.:[\]_-]+)*$/;

export function checkAllowedHosts(texts: readonly Text[], { pod, spec, report, source }: PodContext): void {
  const isVisited =
    pod.path !== undefined || spec.pods.some(({ path, image }) => path && proxies.test(shortNameOf(image)));
  if (!isVisited) return;
  for (const { variable, value, path } of texts) {
    if (variable === undefined || !lists.test(variable) || value.length > 8192) continue;
    const [, separator = ','] = plain.exec(value) ?? [];
    // An empty list, or one in another format, has a program-specific meaning.
    if (!plain.test(value) || scriptletsIn(value).length > 0) continue;
    const longer = `${value}${separator}<% HOST %>`;
    const message = `${variable} does not hold the host of the application: it answers visitors with an error`;
    report.warn(path, 'site-host-missing', message, {
      hint: `add <% HOST %>, as in ${excerpt(longer) === longer ? longer : `…${separator}<% HOST %>`}`,
      fix: replaceValue(source, path, longer),
    });
  }
}
