import * as z from 'zod';
import type { ChangeRequestId, OrganizationId, RevisionId, ShareLinkId, SiteId, UserId } from '../ids.ts';

/** Maximum size of a visitor's claims, in bytes of JSON. Every request includes them. */
export const maxClaimsBytes = 4096;

/** The claims of a visitor: signed ones by name, and those that any visitor can set under `unsigned`. */
export interface Claims {
  [name: string]: z.core.util.JSONType;
}
export const Claims = z.record(z.string(), z.unknown()) as unknown as z.ZodType<Claims, Claims>;

/**
 * The content of a visitor token, which is issued when a URL of a site is resolved. The token is not stored; the state
 * that it depends on is checked on each request.
 */
export interface VisitorToken {
  organization: OrganizationId;
  site: SiteId;
  /** The site's stamp when the token was issued. The site gets a new stamp when it ends all visitor sessions. */
  stamp: string;
  /** The share link of the visit, if the site requires one. */
  shareLink?: ShareLinkId;
  claims: Claims;
  /**
   * The member whose rights a preview uses, and the previewed content. Set only for previews of unpublished content.
   */
  preview?: { user: UserId; changeRequest?: ChangeRequestId; revision?: RevisionId };
  /** The expiry time, in seconds since 1970. */
  expires: number;
}

/** An authorized visitor. The claims determine which content is visible. */
export interface Visitor {
  organization: OrganizationId;
  site: SiteId;
  /** The stamp in the token. It equals the site's current stamp unless the site has ended all visitor sessions. */
  stamp: string;
  shareLink?: ShareLinkId | undefined;
  claims: Claims;
  isPreview: boolean;
  /** The member whose rights a preview uses, and the previewed content. */
  user?: UserId;
  changeRequest?: ChangeRequestId;
  revision?: RevisionId;
  /** A cache key, equal for visitors with the same site and claims. */
  key: string;
  /** The expiry time of the token, in seconds since 1970. */
  expires: number;
  /** Whether the site and the requested space are visible to everyone, so that their content needs no secret. */
  isPublic: boolean;
  /** Whether the site links to the source files of pages. */
  hasEditLinks: boolean;
}

/** The payload of the visitor token, which is a JSON Web Token. */
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

/** The payload of a pass that lets a member preview a site. */
export const PreviewPassPayload = z.object({
  org: z.string(),
  site: z.string(),
  user: z.string(),
  exp: z.number().int(),
});

/** The visitor who requested a PDF, and the URL of the space in the site. */
export const PdfVisit = z.object({
  token: z.object({
    organization: z.string(),
    site: z.string(),
    stamp: z.string(),
    shareLink: z.string().exactOptional(),
    claims: Claims,
  }),
  /** The URL of the space, with a trailing slash. */
  address: z.string(),
});
export type PdfVisit = z.infer<typeof PdfVisit>;
