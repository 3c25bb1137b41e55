import type { Comment, CommentReply } from '@octavo/schema';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.ts';
import { isMissing } from '../ui/states.tsx';
import { type LoadedValue, useApi, useList } from '../use-api.ts';
import { rememberNames } from './names.ts';

/** The comments on the live content of a space, or on a change request. */
export interface Discussion {
  /** The API path of the space or of the change request. */
  path: string;
  organization: string | undefined;
  canComment: boolean;
  comments: LoadedValue<Comment[]>;
  /** Whether texts can be suggested for blocks, and whether the user may apply them. Only set for change requests. */
  canSuggest?: boolean;
  canApply?: boolean;
  /** Reads the content again after it was changed. */
  reloadContent?: () => Promise<void>;
}

interface DiscussionOptions {
  organization: string | undefined;
  canComment: boolean;
  /** Only comments on this page are read. */
  page?: string | undefined;
}

/** Number of comments that are read. */
const maxComments = 300;

/** Reads the comments of a space or a change request, oldest first. Nothing is read while the path is undefined. */
export function useDiscussion(path: string | undefined, options: DiscussionOptions): Discussion {
  const query = { format: 'document', order: 'asc', limit: 100, targetPage: options.page };
  const comments = useList<Comment>(path && `${path}/comments`, query, maxComments);
  const { value } = comments;
  useEffect(() => rememberNames((value ?? []).map(({ postedBy }) => postedBy)), [value]);
  return { path: path ?? '', organization: options.organization, canComment: options.canComment, comments };
}

/** Returns whether the comment that an address names does not exist. */
export function useMissingComment({ path, comments }: Discussion, id: string | undefined): boolean {
  const isUnlisted = comments.value?.every((comment) => comment.id !== id) === true;
  return isMissing(useApi<Comment>(id !== undefined && isUnlisted ? `${path}/comments/${id}` : undefined));
}

/** The target of a new comment; the whole space or change request without `page`. */
export interface NewTarget {
  page?: string | undefined;
  node?: string | undefined;
  /** The text that the comment suggests for the block. */
  suggestion?: { markdown: string };
}

/** Posts a comment and reads the list again. */
export async function postComment({ path, comments }: Discussion, markdown: string, target: NewTarget): Promise<void> {
  await api('POST', `${path}/comments`, { body: { ...target, body: { markdown } } });
  await comments.reload();
}

/** Changes a comment or a reply: its text, its reactions or whether it is resolved. */
export type PostChange = Partial<{
  resolved: boolean;
  body: { markdown: string };
  addedReactions: string[];
  removedReactions: string[];
}>;

/** Reads the replies to a comment, and reads them again when their number changes. */
export function useReplies(path: string, { replies: count }: Comment): LoadedValue<CommentReply[]> {
  const replies = useList<CommentReply>(count === 0 ? undefined : `${path}/replies`, {
    format: 'document',
    limit: 200,
  });
  const { reload } = replies;
  const readCount = useRef(count);
  useEffect(() => {
    if (readCount.current !== count && readCount.current !== 0) void reload();
    readCount.current = count;
  }, [count, reload]);
  return replies;
}
