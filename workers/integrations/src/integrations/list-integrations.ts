import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findListed } from './find-listed.ts';
import { placesOf } from './shown-integrations.ts';

/** Beside the public ones those of the organizations that the caller has a role in. */
export const listIntegrations: Handler<typeof integrations.listIntegrations, IntegrationsEnvironment> = (
  { query },
  context,
) => findListed(context, query, placesOf(context.actor));
