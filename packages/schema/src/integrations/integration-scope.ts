import * as z from 'zod';

/** A permission of an integration where it is installed. */
export const IntegrationScope = z
  .enum([
    'space:views:read',
    'space:content:read',
    'space:content:write',
    'space:metadata:read',
    'space:metadata:write',
    'space:script:inject',
    'space:script:cookies',
    'space:git:sync',
    'space:visitor:auth',
    'site:metadata:read',
    'site:views:read',
    'site:script:inject',
    'site:script:cookies',
    'site:visitor:auth',
    'site:visitor:claims',
    'site:adaptive:read',
    'site:adaptive:write',
    'page:feedback:read',
    'openapi:read',
    'openapi:write',
    'conversations:ingest',
  ])
  .meta({ id: 'IntegrationScope' });
export type IntegrationScope = z.infer<typeof IntegrationScope>;
