import { seal } from '@octavo/runtime';
import { randomString } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

const secretLength = 40;

/** A new secret of a webhook: as it is shown this once, and as it is kept. */
export async function newSecret(
  env: IntegrationsEnvironment,
  webhook: string,
): Promise<{ shown: string; kept: string }> {
  const shown = `whsec_${randomString(secretLength)}`;
  return { shown, kept: await seal(env, webhook, shown) };
}
