import { readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { presentScript, scriptsOf } from './site-scripts.ts';

export const listSiteIntegrationScripts: Handler<
  typeof publishing.listSiteIntegrationScripts,
  PublishingEnvironment
> = async (_, { db, site, urls }) => {
  const scripts = await readRows(db, scriptsOf(site.id, site.organization));
  return scripts.map((script) => presentScript(script, site.id, urls));
};
