import { getBlockSource } from '@octavo/merge';
import type { DocumentPage } from '@octavo/schema';
import { get } from '../api.ts';

/** Reads the Markdown of a top-level block. It is undefined if the page no longer has the block. */
export async function readBlockSource(path: string, page: string, node: string): Promise<string | undefined> {
  const { markdown = '' } = await get<DocumentPage>(`${path}/content/page/${page}`, { depth: 0 });
  return getBlockSource(markdown, node);
}
