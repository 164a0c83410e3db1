/** The place of what is on its way; as large as what comes, so that nothing moves when it is there. */
export function Loading({ what, height }: { what: string; height: string }) {
  return (
    <div className="skeleton" style={{ height }} role="status">
      <span className="spoken">Loading {what}</span>
    </div>
  );
}
