import { seal, unseal } from '@octavo/runtime';
import type { InstallationConfiguration } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

/** The configuration of an installation as it is kept. */
export interface KeptConfiguration {
  values: InstallationConfiguration;
  /** As what they are hidden, of those that were hidden when they were set. */
  hidden: Record<string, 'secret' | 'button'>;
}

/** Sealed for the id of an installation, or for a place of it. */
export const sealConfiguration = (
  env: IntegrationsEnvironment,
  owner: string,
  { values, hidden }: KeptConfiguration,
): Promise<string> => seal(env, owner, [values, hidden]);

/** What was sealed before hidden values were told apart is the values alone. */
export async function readConfiguration(
  env: IntegrationsEnvironment,
  owner: string,
  sealed: string,
): Promise<KeptConfiguration> {
  const kept = await unseal(env, owner, sealed);
  if (!Array.isArray(kept)) return { values: kept as InstallationConfiguration, hidden: {} };
  const [values, hidden] = kept as [KeptConfiguration['values'], KeptConfiguration['hidden']];
  return { values, hidden };
}

/** A configuration as it is kept after a change: what is the same stays as it is sealed. */
export const resealed = (
  env: IntegrationsEnvironment,
  owner: string,
  { sealed, before, after }: { sealed: string; before: KeptConfiguration; after: KeptConfiguration },
): Promise<string> | string =>
  JSON.stringify(before) === JSON.stringify(after) ? sealed : sealConfiguration(env, owner, after);
