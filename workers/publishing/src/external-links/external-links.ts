import { createPositionAtEnd, getOnlyRow, siteExternalLinks } from '@octavo/db';
import { createId, notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { presentLink } from '../structure/presenter.ts';
import { selectLink } from '../structure/queries.ts';
import {
  createItemInBodyChecks,
  createItemInPathCheck,
  createItemLimitCheck,
  createManagerView,
  createSectionsCheck,
  omitIfEmpty,
  requireCondition,
  writeStructure,
} from '../structure/write-structure.ts';

export const addExternalLinkToSite = handler(
  'addExternalLinkToSite',
  async ({ body: { parent, ...body } }, context) => {
    const { db, site } = context;
    requireCondition(body.condition);
    const id = createId('externalLink');
    const createdAt = Date.now();
    const row = {
      ...body,
      description: body.description || null,
      ...{ id, site: site.id, sectionGroup: parent ?? null, position: createPositionAtEnd(createdAt), createdAt },
    };
    const { made } = await writeStructure(
      context,
      {
        event: { type: 'site_external_link.created', data: { site: site.id, externalLink: id } },
        checks: [
          ...createItemInBodyChecks(context, 'site_section_groups', { field: 'parent', id: parent }),
          createSectionsCheck(site.id),
          createItemLimitCheck(site.id, 'site_external_links'),
        ],
        statements: [db.insert(siteExternalLinks).values(row)],
      },
      { made: selectLink(site.id, id) },
    );
    return presentLink(getOnlyRow(made), createManagerView(context));
  },
);

/** A link that moves into or out of a group becomes the last item there. */
export const updateSiteExternalLinkById = handler(
  'updateSiteExternalLinkById',
  async ({ params: { siteExternalLinkId: id }, body: { parent, description, ...body } }, context) => {
    const { db, site } = context;
    requireCondition(body.condition);
    const end = sql`CASE WHEN section_group IS ${parent ?? null} THEN position ELSE ${createPositionAtEnd(Date.now())} END`;
    const changes = omitIfEmpty({
      ...body,
      description: description === '' ? null : description,
      sectionGroup: parent,
    });
    const position = parent === undefined ? undefined : end;
    const { changed } = await writeStructure(
      context,
      {
        event: { type: 'site_external_link.updated', data: { site: site.id, externalLink: id } },
        checks: [
          createItemInPathCheck(context, 'site_external_links', id),
          ...createItemInBodyChecks(context, 'site_section_groups', { field: 'parent', id: parent }),
        ],
        statements:
          changes === undefined
            ? []
            : [
                db
                  .update(siteExternalLinks)
                  .set({ ...changes, position })
                  .where(eq(siteExternalLinks.id, id)),
              ],
      },
      { changed: selectLink(site.id, id) },
    );
    if (changed[0] === undefined) throw notFound('external link');
    return presentLink(changed[0], createManagerView(context));
  },
);

export const deleteSiteExternalLinkById = handler(
  'deleteSiteExternalLinkById',
  async ({ params: { siteExternalLinkId: id } }, context) => {
    const { db, site } = context;
    await writeStructure(
      context,
      {
        event: { type: 'site_external_link.deleted', data: { site: site.id, externalLink: id } },
        checks: [createItemInPathCheck(context, 'site_external_links', id)],
        statements: [db.run(sql`DELETE FROM site_external_links WHERE id = ${id} AND site = ${site.id}`)],
      },
      [],
    );
    return undefined;
  },
);
