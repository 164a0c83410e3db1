/**
 * The response of a host without a certificate to requests without TLS, because a redirect to HTTPS would fail. Pure.
 */
import { type CertificateWait, noticeText } from '../../lib/certificate-report.ts';
import { html, type PageAnswer, reloadAfter } from './page-layout.ts';

/** An ordered certificate arrives within seconds. In the other states, it takes at least minutes. */
const refreshSeconds = { ordered: 5, failed: 60, limit: 60, elsewhere: 60 };

/**
 * `elsewhere`: a custom domain whose DNS does not lead here, for example behind a CDN. No certificate is ordered for
 * it.
 */
export type PageWait = CertificateWait | { because: 'elsewhere' };

/** `site`: undefined for the service's own host. */
export function certificatePage(
  wait: PageWait,
  site: { applicationName: string; environment: string } | undefined,
): PageAnswer {
  const seconds = refreshSeconds[wait.because];
  const name = site ? `Application ${site.applicationName}` : 'This service';
  const error = `${name} is only available over HTTPS, and has no certificate yet.`;
  const words = wait.because === 'elsewhere' ? elsewhere : noticeText(wait);
  return {
    status: 503,
    code: 'certificate_missing',
    error,
    hint: `${words} Try again then.`,
    retryAfterSeconds: seconds,
    page: {
      title: `No certificate yet · ${site?.applicationName ?? 'Berth'}`,
      mark: wait.because === 'failed' || wait.because === 'elsewhere' ? 'failing' : 'arriving',
      eyebrow: site?.environment ?? '503',
      heading: headings[wait.because],
      body: html`<p>${error}</p><p>${words}</p>`,
      note: 'This page loads the site as soon as it is available.',
      refreshSeconds: seconds,
      script: reloadAfter(seconds),
    },
  };
}

const headings = {
  ordered: 'Its certificate is being issued',
  failed: 'Waiting for its certificate',
  limit: 'Waiting for its certificate',
  elsewhere: 'This name points to another server',
};

const elsewhere =
  'In DNS, this name has addresses of another server, perhaps of a CDN. The service orders a certificate when the name points only to this server. A CDN must fetch from the own address of the application.';
