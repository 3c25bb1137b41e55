import type { IntegrationScope } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Value } from './fields.ts';
import { computed, parsed } from './fields.ts';

/**
 * The scopes by which an installation may do anything: those that its organization agreed to and that its integration
 * asks for since then. One that was gone in between counts again once it is agreed to again. Of the names of both tables.
 */
export const grantedScopes = (installation: SQL, integration: SQL): SQL =>
  sql`(SELECT json_group_array(agreed.value) FROM json_each(${installation}.scopes) agreed
    WHERE EXISTS (SELECT 1 FROM json_each(${integration}.scopes_since) since
      WHERE since.key = agreed.value AND since.value <= ${installation}.agreed_version))`;

/** The same as a field of a selection. */
export const grantedScopesField = (installation: SQL, integration: SQL): Value<IntegrationScope[]> =>
  computed(parsed<IntegrationScope[]>(), grantedScopes(installation, integration));
