import type { Database, SiteRecord, Statement } from '@octavo/db';
import { positionAtEnd } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing, SiteId } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { hasRoom, seesSpaces } from '../site-spaces/checks.ts';
import { insertSiteSpace } from '../site-spaces/insert-site-space.ts';
import { hasRoomFor } from '../structure/bounds.ts';
import { freePath } from '../structure/free-path.ts';
import { selectSection } from '../structure/structure-record.ts';
import { writeStructure } from '../structure/write-structure.ts';
import { presentChangedSection } from './read-changed-section.ts';

const untitled = 'Section';

/** The first section becomes the default; what was shown before goes into a section that is titled like the site. */
export const addSectionToSite: Handler<typeof publishing.addSectionToSite, PublishingEnvironment> = async (
  { body: { spaceId, title, icon = null } },
  context,
) => {
  const { db, site, organization, actor, targets } = context;
  const id = newId('section');
  const spaceTitle = targets.spaceId?.space.title ?? '';
  const now = Date.now();
  const wrapped = wrapRoot(db, site, now);
  const section = { id, site: site.id, title: title ?? titleFrom(spaceTitle), icon, position: positionAtEnd(now) };
  const siteSpace = { id: newId('siteSpace'), site: site.id, section: sql`${id}`, space: spaceId };
  const fields = new Map([[spaceId, 'spaceId']]);
  const read = await writeStructure(
    context,
    {
      event: { type: 'site_section.created', data: { site: site.id, section: id } },
      checks: [
        seesSpaces({ organization: organization.id, actor, fields }),
        hasRoom(site.id),
        hasRoomFor(site.id, 'site_sections'),
      ],
      statements: [
        ...wrapped,
        insertSection(db, section),
        ...insertSiteSpace(db, { ...siteSpace, title: spaceTitle, position: positionAtEnd(now) }),
      ],
    },
    selectSection(context, id),
  );
  return presentChangedSection(read, context);
};

const titleFrom = (title: string): string => (title.length < 2 ? untitled : title);

interface NewSection {
  id: string;
  site: SiteId;
  title: string;
  icon: string | null;
  position: string;
}

/** A section whose path is free when it is written, and that is the default where none is. */
const insertSection = (db: Database, { id, site, title, icon, position }: NewSection): Statement =>
  db.run(sql`INSERT INTO site_sections (id, site, title, path, icon, is_default, position, created_at)
    SELECT ${id}, ${site}, ${title}, ${freePath(title, takenIn(site))}, ${icon},
      NOT EXISTS (SELECT 1 FROM site_sections x WHERE x.site = ${site} AND x.is_default = 1), ${position}, ${Date.now()}`);

const takenIn =
  (site: SiteId) =>
  (path: SQL): SQL =>
    sql`EXISTS (SELECT 1 FROM site_sections x WHERE x.site = ${site} AND x.path = ${path})`;

/** Puts the site spaces of a site without sections into one. */
function wrapRoot(db: Database, { id: site, title }: SiteRecord, now: number): Statement[] {
  const id = newId('section');
  return [
    db.run(sql`INSERT INTO site_sections (id, site, title, path, position, created_at)
      SELECT ${id}, ${site}, x.title, ${freePath(title, takenIn(site))}, ${positionAtEnd(now)}, ${now} FROM sites x
      WHERE x.id = ${site} AND EXISTS (SELECT 1 FROM site_spaces r WHERE r.site = ${site} AND r.section = '')`),
    db.run(sql`UPDATE site_spaces SET section = ${id} WHERE site = ${site} AND section = ''`),
  ];
}
