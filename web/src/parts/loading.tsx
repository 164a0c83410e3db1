/** A placeholder with the size of the loading content, so that nothing moves when it arrives. */
export function Loading({ what, height }: { what: string; height: string }) {
  return (
    <div className="skeleton" style={{ height }} role="status">
      <span className="spoken">Loading {what}</span>
    </div>
  );
}
