import * as z from 'zod';
import { TargetPage } from './content/targets.ts';
import { Scope } from './scopes.ts';

/** The lineage through which a revision is read: branch and seq pairs, nearest first. */
export type Lineage = [branch: string, seq: number][];
export const Lineage: z.ZodType<Lineage> = z.array(z.tuple([z.string(), z.number().int()])).min(1);

/** The ids of the parents of a revision. */
export const ParentRevisions = z.array(z.string());

/** The page of a comment at the time of posting, and the beginning of the block. */
export const CommentSubject = z.object({ page: TargetPage, preview: z.string().optional() });
export type CommentSubject = z.infer<typeof CommentSubject>;

/** The text that a comment suggests for its block, and the revision that applied it. */
export const CommentSuggestion = z
  .object({ before: z.string(), markdown: z.string(), revision: z.string().optional() })
  .meta({ id: 'CommentSuggestion' });
export type CommentSuggestion = z.infer<typeof CommentSuggestion>;

/** A navigation entry of an imported website. */
export interface NavigationEntry {
  title: string;
  url?: string;
  children: NavigationEntry[];
}
export const NavigationEntry: z.ZodType<NavigationEntry> = z.object({
  title: z.string(),
  url: z.string().exactOptional(),
  get children() {
    return z.array(NavigationEntry);
  },
});

export const Navigation = z.array(NavigationEntry);
export type Navigation = z.infer<typeof Navigation>;

/** The parts of a multipart upload in the bucket, in their order. */
export const UploadedParts = z.array(z.object({ partNumber: z.number().int(), etag: z.string() }));

/** The scopes of a token. */
export const Scopes = z.array(Scope);

/** The e-mail domains of an organization. */
export const OrganizationDomains = z.array(z.string());

/** The data of an event or a job. `getEventSchema` returns the specific schema of its type. */
export const StoredEventData = z.record(z.string(), z.unknown());

/** A user who signed in through an identity provider, as the provider describes the user. */
export const SignInProfile = z.object({
  /** The name ID with its format. The same text in another format can be another user. */
  subject: z.string(),
  email: z.string().nullable(),
  displayName: z.string().nullable(),
  /** The end of the session at the provider, in milliseconds. */
  sessionEndsAt: z.number().nullable(),
});
export type SignInProfile = z.infer<typeof SignInProfile>;

/** The types of events that a subscription receives, if not all. */
export const SubscribedEvents = z.array(z.string());

/** The spaces whose events a subscription receives, if not all. */
export const SubscribedSpaces = z.array(z.string());
