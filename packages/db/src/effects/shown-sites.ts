import type { BranchId, Caller, NewEvent, OrganizationId, SiteId, SpaceId } from '@octavo/schema';
import { shownBy } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { CausedEvent } from '../caused-events.ts';
import type { Database, Statement } from '../connect.ts';

interface Concerned {
  site: Set<SiteId>;
  space: Set<SpaceId>;
  organization: Set<OrganizationId>;
  user: Set<string>;
}

function note(into: Concerned, { actor }: Caller, event: CausedEvent): void {
  const kind = shownBy[event.type];
  const { organization, space, data = {} } = event as Partial<NewEvent>;
  const { site, branch } = data as { site?: SiteId; branch?: BranchId };
  if (kind === 'site' && site !== undefined) into.site.add(site);
  // What is told of rows names their organization alone.
  else if (kind === 'organization' || (kind === 'space' && 'rows' in event) || (kind === 'site' && 'rows' in event)) {
    if (organization !== undefined) into.organization.add(organization);
  } else if (space !== undefined && (kind === 'space' || (kind === 'head' && branch === space))) into.space.add(space);
  else if (kind === 'user') into.user.add(actor);
}

const among = (ids: ReadonlySet<string>): SQL => sql`(SELECT value FROM json_each(${JSON.stringify([...ids])}))`;

/** The sites whose visitors are shown something else from then on: `shownBy` says of each event which. */
export function countShown(db: Database, caller: Caller, events: readonly CausedEvent[]): Statement[] {
  const concerned: Concerned = { site: new Set(), space: new Set(), organization: new Set(), user: new Set() };
  for (const event of events) note(concerned, caller, event);
  const { site, space, organization, user } = concerned;
  const count = (where: SQL) => db.run(sql`UPDATE sites SET shown = shown + 1 WHERE ${where}`);
  const countAll = (where: SQL) => db.run(sql`UPDATE organizations SET shown = shown + 1 WHERE ${where}`);
  return [
    ...(site.size === 0 ? [] : [count(sql`id IN ${among(site)}`)]),
    ...(space.size === 0 ? [] : [count(sql`id IN (SELECT site FROM site_spaces WHERE space IN ${among(space)})`)]),
    ...(organization.size === 0 ? [] : [countAll(sql`id IN ${among(organization)}`)]),
    ...(user.size === 0 ? [] : [countAll(sql`id IN (SELECT organization FROM members WHERE user IN ${among(user)})`)]),
  ];
}
