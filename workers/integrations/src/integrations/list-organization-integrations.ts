import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findListed } from './find-listed.ts';

type Listing = typeof integrations.listOrganizationIntegrations;

/** What the organization may install: the public ones, and its own. */
export const listOrganizationIntegrations: Handler<Listing, IntegrationsEnvironment> = ({ query }, context) =>
  findListed(context, query, sql`SELECT ${context.organization.id} AS organization`);
