import type { SiteRecord } from '@octavo/db';
import type { PublishingAuth } from '@octavo/schema';

/** The key is given only where this answer is the one that shows it. */
export const presentAuth = (
  { authBackend, authFallback, authIntegration }: SiteRecord,
  privateKey = '',
): PublishingAuth => ({
  object: 'publishing-auth',
  backend: authBackend,
  privateKey,
  ...(authFallback === null ? {} : { fallbackURL: authFallback }),
  ...(authIntegration === null ? {} : { integration: authIntegration }),
});
