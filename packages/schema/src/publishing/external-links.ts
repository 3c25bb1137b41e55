import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { webAddress } from '../web-address.ts';
import { SectionDescription, SiteExternalLink } from './sections.ts';
import { Condition, IconName, SiteTitle } from './site.ts';

const siteParams = z.object({ organizationId: Id, siteId: Id });
const params = siteParams.extend({ siteExternalLinkId: Id });
const access = { site: 'manage' } as const;
const scope = 'site:write';
const links = '/v1/orgs/:organizationId/sites/:siteId/external-links' as const;

const optional = {
  description: SectionDescription.nullable().optional(),
  icon: IconName.nullable().optional(),
  condition: Condition.nullable().optional(),
};

export const externalLinkEndpoints = contract({
  addExternalLinkToSite: {
    method: 'POST',
    path: links,
    summary: 'Add an external link to a site',
    access,
    scope,
    params: siteParams,
    body: z.object({ title: SiteTitle, url: webAddress, parent: Id.optional(), ...optional }),
    response: SiteExternalLink,
    success: 201,
    errors: ['conflict'],
  },
  updateSiteExternalLinkById: {
    method: 'PATCH',
    path: `${links}/:siteExternalLinkId`,
    summary: 'Change an external link',
    access,
    scope,
    params,
    body: z
      .object({
        title: SiteTitle.optional(),
        url: webAddress.optional(),
        parent: Id.nullable().optional(),
        ...optional,
      })
      .prefault({}),
    response: SiteExternalLink,
    success: 200,
  },
  deleteSiteExternalLinkById: {
    method: 'DELETE',
    path: `${links}/:siteExternalLinkId`,
    summary: 'Delete an external link',
    access,
    scope,
    params,
    success: 205,
  },
});
