/** The dashboard: the frame around every page, and the routing. */
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useVisitor } from './account/session.ts';
import { HomePage } from './home/page.tsx';
import { Shortcuts } from './palette/shortcuts.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Boat } from './parts/icons.tsx';
import { Loading } from './parts/loading.tsx';
import { ReachNotice } from './parts/reach-notice.tsx';
import { ThemeSwitch } from './parts/theme.tsx';
import { Toasts } from './parts/toast.tsx';
import { Link, useRoute } from './routing/router.tsx';
import type { Route } from './routing/routes.ts';
import { UnknownPage } from './unknown-page.tsx';

const AccountPage = lazy(() => import('./account/account-page.tsx'));
const ClaimPage = lazy(() => import('./account/claim-page.tsx'));
const LoginPage = lazy(() => import('./account/login-page.tsx'));
const SignInPage = lazy(() => import('./account/sign-in-page.tsx'));
const ForgotPasswordPage = lazy(() =>
  import('./account/password-pages.tsx').then(({ ForgotPasswordPage }) => ({ default: ForgotPasswordPage })),
);
const ResetPasswordPage = lazy(() =>
  import('./account/password-pages.tsx').then(({ ResetPasswordPage }) => ({ default: ResetPasswordPage })),
);
const NewPage = lazy(() => import('./templates/new-page.tsx'));
const TemplatesPage = lazy(() => import('./templates/page.tsx'));
const VerifyPage = lazy(() => import('./account/verify-page.tsx'));
const SharedPage = lazy(() => import('./sharing/shared-page.tsx'));
const DeploymentPage = lazy(() => import('./deployment/page.tsx'));
const DeploymentsPage = lazy(() => import('./deployments/page.tsx'));

export function App() {
  const route = useRoute();
  const place = route.page === 'deployment' ? `${route.environment}/${route.applicationName}` : route.page;
  const main = useRef<HTMLElement>(null);
  const lastPlace = useRef(place);
  useEffect(() => {
    document.title = titleOf(route);
  }, [route]);
  useEffect(() => {
    // The focused element was removed with its page. Keyboard and screen reader users continue in the new one.
    if (lastPlace.current !== place) main.current?.focus({ preventScroll: true });
    lastPlace.current = place;
  }, [place]);
  return (
    <>
      <header className="shell-header">
        <a className="button skip" href="#main">
          Skip to the content
        </a>
        <div>
          <Link to="/" className="brand" aria-label="Berth, start">
            <Boat />
            Berth
          </Link>
          <nav aria-label="Main">
            <NavLink to="/deployments" isCurrent={route.page === 'deployments'}>
              Deployments
            </NavLink>
            <AccountLink page={route.page} />
          </nav>
          <Shortcuts />
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={place}>
          <Suspense fallback={<PagePlace />}>
            <Page route={route} />
          </Suspense>
        </Boundary>
      </main>
      <footer className="shell-footer">
        <div>
          <span>One YAML in, a live URL out.</span>
          <Link to="/templates">Templates</Link>
          <a href="/docs">Documentation</a>
          <a href="/docs/reference/configuration">Configuration</a>
          <a href="/docs/reference/cli">Command line</a>
          <a href="/docs/reference/api">API</a>
        </div>
      </footer>
      <ReachNotice />
      <Toasts />
    </>
  );
}

/** Has the same width for every visitor, so that nothing moves when the account has loaded. */
function AccountLink({ page }: { page: Route['page'] }) {
  const visitor = useVisitor();
  const isCurrent = page === 'account' || page === 'sign-in' || page === 'sign-up';
  return (
    <span className="account-link">
      {visitor.kind === 'account' && (
        <NavLink to="/account" isCurrent={isCurrent}>
          Account
        </NavLink>
      )}
      {visitor.kind === 'anonymous' && (
        <NavLink to="/sign-in" isCurrent={isCurrent}>
          Sign in
        </NavLink>
      )}
    </span>
  );
}

function PagePlace() {
  return (
    <div className="page">
      <Loading what="the page" height="60vh" />
    </div>
  );
}

function NavLink({ to, isCurrent, children }: { to: string; isCurrent: boolean; children: string }) {
  return (
    <Link to={to} className="nav-link" aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'home':
      return <HomePage />;
    case 'new':
      return <NewPage />;
    case 'templates':
      return <TemplatesPage />;
    case 'deployments':
      return <DeploymentsPage />;
    case 'deployment':
      return <DeploymentPage key={`${route.environment}/${route.applicationName}`} route={route} />;
    case 'claim':
      return <ClaimPage token={route.token} />;
    case 'shared':
      return <SharedPage token={route.token} />;
    case 'account':
      return <AccountPage />;
    case 'sign-in':
    case 'sign-up':
      return <SignInPage key={route.page} isNew={route.page === 'sign-up'} />;
    case 'forgot-password':
      return <ForgotPasswordPage />;
    case 'reset-password':
      return <ResetPasswordPage />;
    case 'verify-email':
      return <VerifyPage />;
    case 'login':
      return <LoginPage />;
    case 'unknown':
      return <UnknownPage />;
  }
}

const titles: Partial<Record<Route['page'], string>> = {
  new: 'A configuration',
  templates: 'Templates',
  deployments: 'Deployments',
  claim: 'Claim',
  shared: 'Status',
  account: 'Account',
  'sign-in': 'Sign in',
  'sign-up': 'Create an account',
  'forgot-password': 'Forgotten password',
  'reset-password': 'A new password',
  'verify-email': 'Verification',
  login: 'Log in to a terminal',
};

function titleOf(route: Route): string {
  if (route.page === 'home') return 'Berth: one YAML in, a live URL out';
  const title = route.page === 'deployment' ? route.applicationName : titles[route.page];
  return title === undefined ? 'Berth' : `${title} · Berth`;
}
