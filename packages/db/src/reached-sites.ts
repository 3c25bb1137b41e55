import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Whether `installations i` reaches `sites st` of its organization. */
export const reachesSite = sql`(i.site_selection = 'all' OR EXISTS (SELECT 1 FROM site_installations own
  WHERE own.installation = i.id AND own.site = st.id AND own.status = 'active'))`;

/** Whether the caller of a token is an installation that reaches the site `st` of the organization `o`; null for others. */
export const installedOnSite = (callerInstallation: SQL, organization: SQL): SQL =>
  sql`(SELECT ${reachesSite} FROM installations i WHERE i.id = ${callerInstallation} AND i.organization = ${organization})`;
