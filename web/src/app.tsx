/** The dashboard: what surrounds every page, and which page is shown. */
import { lazy, Suspense, useEffect } from 'react';
import { HomePage } from './home/page.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Boat } from './parts/icons.tsx';
import { Loading } from './parts/loading.tsx';
import { ThemeSwitch } from './parts/theme.tsx';
import { Toasts } from './parts/toast.tsx';
import { Link, useRoute } from './routing/router.tsx';
import type { Route } from './routing/routes.ts';
import { UnknownPage } from './unknown-page.tsx';

const DeploymentPage = lazy(() => import('./deployment/page.tsx'));
const DeploymentsPage = lazy(() => import('./deployments/page.tsx'));

export function App() {
  const route = useRoute();
  useEffect(() => {
    document.title = titleOf(route);
  }, [route]);
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
          </nav>
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Boundary key={route.page}>
          <Suspense fallback={<PagePlace />}>
            <Page route={route} />
          </Suspense>
        </Boundary>
      </main>
      <footer className="shell-footer">
        <div>
          <span>One YAML in, a live URL out.</span>
          <a href="/schema">Schema</a>
          <a href="/openapi.json">API</a>
        </div>
      </footer>
      <Toasts />
    </>
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
    case 'deployments':
      return <DeploymentsPage />;
    case 'deployment':
      return <DeploymentPage key={`${route.environment}/${route.applicationName}`} route={route} />;
    default:
      return <UnknownPage />;
  }
}

function titleOf(route: Route): string {
  switch (route.page) {
    case 'home':
      return 'Berth: one YAML in, a live URL out';
    case 'deployment':
      return `${route.applicationName} · Berth`;
    case 'deployments':
      return 'Deployments · Berth';
    default:
      return 'Berth';
  }
}
