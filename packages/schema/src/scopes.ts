import * as z from 'zod';

/** The scopes that limit a token. */
export const scopes = [
  'space:read',
  'space:write',
  'space:permissions:read',
  'space:permissions:write',
  'change-request:merge',
  'organization:read',
  'organization:write',
  'organization:members:read',
  'organization:members:write',
  'organization:search',
  'site:read',
  'site:write',
  'site:publish',
  'site:auth:read',
  'site:auth:write',
  'openapi:read',
  'openapi:write',
  'integration:read',
  'integration:publish',
  'integration:delete',
  'integration:installations:read',
  'integration:installations:write',
  'user:read',
] as const;

export const Scope = z.enum(scopes).meta({ id: 'Scope' });
export type Scope = z.infer<typeof Scope>;
