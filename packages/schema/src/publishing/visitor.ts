import * as z from 'zod';
import type { ChangeRequestId, OrganizationId, RevisionId, ShareLinkId, SiteId, UserId } from '../ids.ts';

/** What a site knows of a visitor, in bytes of JSON: it travels in each request. */
export const maxClaimsBytes = 4096;

/** Claims of a visitor: signed ones by their names, and those that anybody may make under `unsigned`. */
export interface Claims {
  [name: string]: z.core.util.JSONType;
}
export const Claims = z.record(z.string(), z.unknown()) as unknown as z.ZodType<Claims, Claims>;

/** Who visits a site, as the token of the resolution tells. It needs no row: what it stands on is looked at each time. */
export interface VisitorToken {
  organization: OrganizationId;
  site: SiteId;
  /** The site's own stamp, when the token was made. */
  stamp: string;
  /** The link that it came by, where the site asks for one. */
  shareLink?: ShareLinkId;
  claims: Claims;
  /** Where a member looks at what is not public: whose rights it takes, and what is looked at. */
  preview?: { user: UserId; changeRequest?: ChangeRequestId; revision?: RevisionId };
  /** When it ends, in seconds since 1970. */
  expires: number;
}

/** A visitor who was let in, as operations know one: content is shown by the claims. */
export interface Visitor {
  organization: OrganizationId;
  site: SiteId;
  /** Of the token: the site's, as long as that has not ended what visitors hold. */
  stamp: string;
  shareLink?: ShareLinkId | undefined;
  claims: Claims;
  isPreview: boolean;
  /** Whose rights a preview takes, and what it is of. */
  user?: UserId;
  changeRequest?: ChangeRequestId;
  revision?: RevisionId;
  /** Tells this visitor's answers from those of others: equal for the same site and claims. */
  key: string;
  /** When the token ends, in seconds since 1970. */
  expires: number;
  /** Whether anybody may see the site, and the space that is read of it, so that what it shows needs no secret. */
  isPublic: boolean;
}

/** What the token carries, as a JSON Web Token does. */
export const VisitorTokenPayload = z.object({
  org: z.string(),
  site: z.string(),
  stamp: z.string(),
  link: z.string().optional(),
  claims: Claims,
  preview: z
    .object({ user: z.string(), changeRequest: z.string().exactOptional(), revision: z.string().exactOptional() })
    .optional(),
  exp: z.number().int(),
});

/** What lets a member look at a site before others may. */
export const PreviewPassPayload = z.object({
  org: z.string(),
  site: z.string(),
  user: z.string(),
  exp: z.number().int(),
});

/** By whose rights a PDF is made that a visitor asked for, and where its space stands in the site. */
export const PdfVisit = z.object({
  token: z.object({
    organization: z.string(),
    site: z.string(),
    stamp: z.string(),
    shareLink: z.string().exactOptional(),
    claims: Claims,
  }),
  /** Of the space, with a slash at the end. */
  address: z.string(),
});
export type PdfVisit = z.infer<typeof PdfVisit>;
