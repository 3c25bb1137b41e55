import type { Change, SpaceClient } from '../space-client.ts';
import { insertPage, writePage } from '../space-client.ts';

/** Returns a conflict with its markers. */
export const conflict = (ours: string, was: string, theirs: string, length = 7) =>
  `${'<'.repeat(length)} change request\n${ours}\n${'|'.repeat(length)} base\n${was}\n${'='.repeat(length)}\n${theirs}\n${'>'.repeat(length)} main\n`;

export const createText = (first: string, last: string, middle = 'middle\n') => `${first}\n\n${middle}\n${last}\n`;

/** Makes a page whose first and last lines are changed both in main and in a change request. */
export async function createConflict(space: SpaceClient, middle?: string) {
  const [page = ''] = await space.change([
    insertPage('Page', { document: { markdown: createText('one', 'two', middle) } }),
  ]);
  const branch = await space.open();
  await space.change([writePage(page, createText('mine', 'mine 2', middle))], branch);
  await space.change([writePage(page, createText('live', 'live 2', middle))]);
  return { page, branch };
}

export const resolve = (page: string, keep: string, field = 'document'): Change => ({
  operation: 'resolve',
  page,
  field,
  keep,
});
