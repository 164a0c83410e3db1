/** PURE. The source of a limit: the machine, a plan, or the settings for strangers. */

export type Owner = 'server' | 'stranger' | { plan: string };

/** `with the plan "free"` */
export function ownerPhrase(owner: Exclude<Owner, 'server'>): string {
  return owner === 'stranger' ? 'without an account' : `with the plan "${owner.plan}"`;
}
