import { parseTree } from '@octavo/document';
import type { CommentBody } from '@octavo/schema';

export const presentBody = (markdown: string, format: 'markdown' | 'document'): CommentBody =>
  format === 'document' ? { document: parseTree(markdown) } : { markdown };
