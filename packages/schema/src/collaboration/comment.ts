import * as z from 'zod';
import { JSONDocument } from '../content/documents.ts';
import { ReactionEmoji } from '../emoji.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';

/** The longest text of a comment, in bytes of UTF-8. */
export const maxCommentBytes = 65_536;

const WellFormed = z.string().refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

export const CommentBody = z
  .object({ markdown: z.string().optional(), document: z.unknown().optional() })
  .meta({ id: 'CommentBody', description: 'Markdown or a document tree, as the format asks; neither when empty.' });
export type CommentBody = z.infer<typeof CommentBody>;

/**
 * The text of a comment or reply as clients write it: up to 64 KiB of markdown, with mentions as `@` and a user's id, or
 * the tree of such a text.
 */
export const CommentBodyInput = z
  .object({ markdown: WellFormed.max(maxCommentBytes).optional(), document: JSONDocument.optional() })
  .refine(
    ({ markdown, document }) => (markdown === undefined) !== (document === undefined),
    'must have either markdown or document',
  )
  .meta({ id: 'CommentBodyInput' });
export type CommentBodyInput = z.infer<typeof CommentBodyInput>;

/** The text that goes with a review; without one there is no comment. */
export const OptionalCommentBody = z.union([CommentBodyInput, z.strictObject({})]);
export type OptionalCommentBody = z.infer<typeof OptionalCommentBody>;

/** One entry for each emoji, with those who reacted. */
export const Reaction = z
  .object({
    emoji: z.string(),
    count: z.number().int(),
    users: z.array(z.object({ user: User, reactedAt: Timestamp })),
  })
  .meta({ id: 'Reaction' });
export type Reaction = z.infer<typeof Reaction>;

/** The most different emoji on one comment or reply. */
export const maxReactions = 50;

/** Emoji to add or to take away: themselves or their code points. */
export const ReactionsInput = z.array(ReactionEmoji).max(maxReactions);

export const CommentPermissions = z
  .object({ view: z.boolean(), edit: z.boolean(), reply: z.boolean(), react: z.boolean(), delete: z.boolean() })
  .meta({ id: 'CommentPermissions' });
export type CommentPermissions = z.infer<typeof CommentPermissions>;

export const CommentStatus = z.enum(['open', 'resolved']).meta({ id: 'CommentStatus' });
export type CommentStatus = z.infer<typeof CommentStatus>;

/** What a comment is about: the whole space or change request, or a page or a node of it. */
export const CommentTarget = z
  .object({
    space: z.string(),
    revision: z.string(),
    changeRequest: z.string().optional(),
    review: z.string().optional(),
    page: z
      .object({
        id: z.string(),
        title: z.string(),
        emoji: z.string().optional(),
        icon: z.string().optional(),
        createdAt: Timestamp.optional(),
        updatedAt: Timestamp.optional(),
        path: z.string(),
        outdated: z.boolean(),
      })
      .optional(),
    node: z.object({ id: z.string(), preview: z.string().optional() }).optional(),
  })
  .meta({ id: 'CommentTarget' });
export type CommentTarget = z.infer<typeof CommentTarget>;

/** `resolvedAt` and `resolvedBy` are there exactly while it is resolved. */
export const Comment = z
  .object({
    object: z.literal('comment'),
    id: z.string(),
    postedBy: User,
    postedAt: Timestamp,
    editedAt: Timestamp.optional(),
    reactions: z.array(Reaction),
    replies: z.number().int(),
    body: CommentBody,
    target: CommentTarget,
    urls: z.object({ location: z.string() }),
    permissions: CommentPermissions,
    status: CommentStatus,
    resolvedAt: Timestamp.optional(),
    resolvedBy: User.optional(),
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof Comment>;

export const CommentReply = z
  .object({
    object: z.literal('comment-reply'),
    id: z.string(),
    postedBy: User,
    postedAt: Timestamp,
    editedAt: Timestamp.optional(),
    reactions: z.array(Reaction),
    body: CommentBody,
    urls: z.object({ location: z.string() }),
    permissions: CommentPermissions,
  })
  .meta({ id: 'CommentReply' });
export type CommentReply = z.infer<typeof CommentReply>;
