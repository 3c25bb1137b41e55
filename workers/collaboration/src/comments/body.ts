import {
  getMentions,
  maxMentions,
  parseTree,
  publishTree,
  readJsonTree,
  renderTree,
  TreeError,
} from '@octavo/markdown';
import type { CommentBody, CommentBodyInput, ContentFormat } from '@octavo/schema';
import { invalid, maxCommentBytes } from '@octavo/schema';

/**
 * Returns the markdown of a body. `path` is the path of the body in the request.
 * @throws ApiError invalid
 */
export function readBodyText(body: CommentBodyInput, path = 'body.body'): string {
  const field = body.document === undefined ? `${path}.markdown` : `${path}.document`;
  const text = body.markdown ?? readTreeText(body.document, field);
  const fault = findFault(text);
  if (fault !== undefined) throw invalid([{ path: field, message: fault }]);
  return text;
}

function readTreeText(document: CommentBodyInput['document'], path: string): string {
  if (document === undefined) return '';
  try {
    return renderTree(readJsonTree(document));
  } catch (error) {
    if (error instanceof TreeError) throw invalid([{ path: `${path}.${error.path}`, message: error.message }]);
    throw error;
  }
}

function findFault(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (new TextEncoder().encode(text).length > maxCommentBytes) return 'must have at most 64 KiB';
  return getMentions(text).length > maxMentions ? `must mention at most ${maxMentions} users` : undefined;
}

/** Presents stored markdown in the requested format. */
export const presentBody = (markdown: string, format: ContentFormat): CommentBody =>
  format === 'document' ? { document: publishTree(parseTree(markdown, { sources: 'all' }), published) } : { markdown };

/** Returns the id of reusable content from its address. */
const parseContentId = (address: string): string | undefined => /^\/reusable-contents\/(\w{1,64})$/.exec(address)?.[1];

const published = { includes: parseContentId, tellsMissing: true, isKept: true };
