/** An address of nothing. */
import { Link } from './routing/router.tsx';

export function UnknownPage() {
  return (
    <div className="page">
      <div className="empty">
        <h1>Page not found</h1>
        <p>The address may have been mistyped.</p>
        <Link to="/" className="button">
          Go to the start page
        </Link>
      </div>
    </div>
  );
}
