import * as z from 'zod';
import { TargetPage } from './content/targets.ts';
import { Scope } from './scopes.ts';

/** A revision is read through its lineage: branch and seq pairs, nearest first (design: content model). */
export type Lineage = [branch: string, seq: number][];
export const Lineage: z.ZodType<Lineage> = z.array(z.tuple([z.string(), z.number().int()])).min(1);

/** The ids of the revisions that a revision came from. */
export const ParentRevisions = z.array(z.string());

/** The page that a comment is about, as it was when it was posted, and the beginning of the block. */
export const CommentSubject = z.object({ page: TargetPage, preview: z.string().optional() });
export type CommentSubject = z.infer<typeof CommentSubject>;

/** An entry of the navigation of a website that is imported. */
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

/** The parts of an upload in their order, as the bucket knows them. */
export const UploadedParts = z.array(z.object({ partNumber: z.number().int(), etag: z.string() }));

/** What a token is limited to. */
export const Scopes = z.array(Scope);

/** The e-mail domains of an organization. */
export const OrganizationDomains = z.array(z.string());

/** What an event or a job carries: by its type, its own schema tells more. */
export const StoredEventData = z.record(z.string(), z.unknown());

/** Who signed in through an identity provider, as that says. */
export const SignInProfile = z.object({
  /** The name ID with its format: the same text in another format may be somebody else. */
  subject: z.string(),
  email: z.string().nullable(),
  displayName: z.string().nullable(),
  /** When the session at the provider ends, in milliseconds. */
  sessionEndsAt: z.number().nullable(),
});
export type SignInProfile = z.infer<typeof SignInProfile>;

/** The types of events that a subscription gets, where it does not get all. */
export const SubscribedEvents = z.array(z.string());

/** The spaces whose events a subscription gets, where it does not get those of all. */
export const SubscribedSpaces = z.array(z.string());
