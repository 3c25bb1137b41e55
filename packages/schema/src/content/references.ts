import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-requests.ts';
import { Organization } from '../org-admin/organizations.ts';
import { OpenAPISpec } from '../publishing/openapi.ts';
import { User } from '../user.ts';
import { Collection } from './collections.ts';
import { File } from './files.ts';
import { Page } from './pages.ts';
import { ReusableContent, Revision } from './revisions.ts';
import { Space } from './spaces.ts';

/**
 * A revision that another object refers to. Its content may be omitted, so that the cost of a listing depends only on
 * its items.
 */
export const RevisionContext = Revision.partial({
  pages: true,
  files: true,
  reusableContents: true,
  tags: true,
  variables: true,
}).meta({ id: 'RevisionContext' });
export type RevisionContext = z.infer<typeof RevisionContext>;

export const VersionContext = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('revision'), revision: RevisionContext }),
    z.object({ type: z.literal('changeRequest'), changeRequest: ChangeRequest }),
  ])
  .meta({ id: 'VersionContext' });
export type VersionContext = z.infer<typeof VersionContext>;

const inSpace = { organization: Organization, space: Space };
const inContent = { ...inSpace, versionContext: VersionContext.optional() };

/** The location or the target of a link, with the objects that it names. */
export const ContentReference = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), ...inContent, file: File }),
    z.object({ kind: z.literal('url'), url: z.string() }),
    z.object({
      kind: z.literal('page'),
      ...inContent,
      page: Page,
      internalLocation: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('anchor'), anchor: z.string() }),
          z.object({ type: z.literal('node'), node: z.string() }),
        ])
        .optional(),
    }),
    z.object({ kind: z.literal('user'), user: User }),
    z.object({ kind: z.literal('collection'), organization: Organization, collection: Collection }),
    z.object({ kind: z.literal('space'), ...inSpace }),
    z.object({ kind: z.literal('reusable-content'), ...inContent, reusableContent: ReusableContent }),
    z.object({ kind: z.literal('openapi'), organization: Organization, openAPISpec: OpenAPISpec }),
  ])
  .meta({ id: 'ContentReference' });
export type ContentReference = z.infer<typeof ContentReference>;
