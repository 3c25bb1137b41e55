import type { Comment, CommentReply } from '@octavo/schema';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { api } from '../api.ts';
import { isMissing } from '../ui/states.tsx';
import { type LoadedValue, useApi, useGrowingList, useList } from '../use-api.ts';
import { rememberNames } from './names.ts';

/** The comments on the live content of a space, or on a change request. */
export interface Discussion {
  /** The API path of the space or of the change request. */
  path: string;
  organization: string | undefined;
  canComment: boolean;
  /** The newest comments, oldest first, and the one that the address names. */
  comments: LoadedValue<Comment[]>;
  /** Reads older comments; undefined if all comments were read. */
  showOlder: (() => void) | undefined;
  /** Whether the comment that the address names does not exist. */
  isTargetMissing: boolean;
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
  /** The id of the comment that the address names. */
  target?: string | undefined;
}

/** Number of comments that are read at first, and that each "Show older comments" adds. */
const pageSize = 300;

/** Reads the newest comments of a space or a change request. Nothing is read while the path is undefined. */
export function useDiscussion(path: string | undefined, options: DiscussionOptions): Discussion {
  const { page, target, organization, canComment } = options;
  const query = { format: 'document', order: 'desc', limit: 100, targetPage: page };
  const newest = useGrowingList<Comment>(path && `${path}/comments`, query, pageSize);
  const isUnlisted = target !== undefined && newest.value?.every(({ id }) => id !== target) === true;
  const named = useApi<Comment>(isUnlisted ? `${path}/comments/${target}` : undefined, { format: 'document' });
  const value = useMemo(
    () => newest.value && [...newest.value, ...(named.value === undefined ? [] : [named.value])].reverse(),
    [newest.value, named.value],
  );
  useEffect(() => rememberNames((value ?? []).map(({ postedBy }) => postedBy)), [value]);
  const reload = async (): Promise<void> => {
    await Promise.all([newest.reload(), named.reload()]);
  };
  return {
    ...{ path: path ?? '', organization, canComment },
    comments: { value, error: newest.error, isLoading: newest.isLoading, reload },
    showOlder: newest.hasMore ? newest.showMore : undefined,
    isTargetMissing: isMissing(named),
  };
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
