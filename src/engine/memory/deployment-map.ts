/** A map with an index by deployment, so that a lookup among thousands of deployments reads only one of them. */
export class DeploymentMap<T extends { deploymentId: string }> extends Map<string, T> {
  readonly #keys = new Map<string, Set<string>>();

  of(deploymentId: string): T[] {
    return [...(this.#keys.get(deploymentId) ?? [])].map((key) => this.get(key)!);
  }

  override set(key: string, value: T): this {
    this.delete(key);
    const keys = this.#keys.get(value.deploymentId) ?? new Set();
    this.#keys.set(value.deploymentId, keys.add(key));
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    const value = this.get(key);
    const keys = value && this.#keys.get(value.deploymentId);
    keys?.delete(key);
    if (value && keys?.size === 0) this.#keys.delete(value.deploymentId);
    return super.delete(key);
  }

  override clear(): void {
    this.#keys.clear();
    super.clear();
  }
}

/** The key of a volume in `MemoryWorld.volumes`. */
export function volumeKey(deploymentId: string, volume: string): string {
  return `${deploymentId}/${volume}`;
}
