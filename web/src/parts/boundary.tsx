/** Keeps the rest of the page when a part of it cannot be loaded: the connection is lost, or the service was updated. */
import { Component, type ReactNode } from 'react';

type BoundaryProps = { children: ReactNode };

export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="empty" role="alert">
        <h2>This part of the page could not be loaded</h2>
        <p>The connection may be lost, or the service may have been updated since the page was opened.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
