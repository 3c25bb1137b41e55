import type { CommentReply } from '@octavo/schema';
import { presentBody } from '../comments/body.ts';
import type { BranchContext } from '../discussion/branch.ts';
import { commentsPath } from '../discussion/branch.ts';
import type { PostedRecord } from '../discussion/posted.ts';
import { presentPosted } from '../discussion/posted.ts';

interface Presenting {
  comment: string;
  format: 'markdown' | 'document';
  context: BranchContext;
}

export const presentReply = (record: PostedRecord, { comment, format, context }: Presenting): CommentReply => ({
  object: 'comment-reply',
  ...presentPosted(record, context),
  body: presentBody(record.body, format),
  urls: { location: context.urls.location(`${commentsPath(context)}/${comment}/replies/${record.id}`) },
});
