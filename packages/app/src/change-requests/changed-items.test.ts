import type { File, SemanticChange } from '@octavo/schema';
import { expect, test } from 'vitest';
import { describeMove, groupChanges, listAttributeChanges, type PageMove } from './changed-items.ts';

const page = { id: 'pg_a', type: 'document', title: 'Install' } as const;
const document = { before: 'h1', after: 'h2', added: 2, removed: 1, diff: '@@ -1,1 +1,2 @@\n' };
const edited: SemanticChange = {
  type: 'page_edited',
  page,
  attributes: { title: { before: 'Setup', after: 'Install' }, hidden: { after: true }, document },
};
const moved: PageMove = {
  type: 'page_moved',
  page,
  parent: { after: { id: 'pg_b', type: 'document', title: 'Guides' } },
};

test('groups the changes of a page', () => {
  expect(groupChanges([edited, moved])).toEqual([
    {
      ...{ id: 'pg_a', title: 'Install', kinds: ['Edited', 'Moved'], changes: [edited, moved], document },
      ...{ counts: { added: 2, removed: 1 }, page: { id: 'pg_a', type: 'document', isDeleted: false } },
    },
  ]);
});

test('distinguishes a deleted page, and the image of a file', () => {
  const file = { id: 'f_a', name: 'a.png', contentType: 'image/png' } as File;
  const [deleted, added, removed] = groupChanges([
    { type: 'page_deleted', page },
    { type: 'file_created', file },
    { type: 'file_deleted', file: { ...file, id: 'f_b' } },
  ]);

  expect(deleted).toMatchObject({ kinds: ['Deleted'], page: { isDeleted: true } });
  expect([added?.image, removed?.image]).toEqual([file, undefined]);
});

test('lists changed fields except the text', () => {
  expect(listAttributeChanges(edited)).toEqual([
    { name: 'Title', before: 'Setup', after: 'Install' },
    { name: 'Hidden', before: undefined, after: 'Yes' },
  ]);
});

test('describes from where to where a page was moved', () => {
  const guides = { id: 'pg_b', type: 'document', title: 'Guides' } as const;

  expect(describeMove(moved, 'after Start')).toBe('Moved from the top level to Guides');
  expect(describeMove({ ...moved, parent: { before: guides, after: guides } }, 'after Start')).toBe(
    'Moved after Start in Guides',
  );
  expect(describeMove({ ...moved, parent: {} }, 'to the first position')).toBe(
    'Moved to the first position in the top level',
  );
  expect(describeMove({ ...moved, parent: {} }, undefined)).toBe('Moved within the top level');
});

test('lists changed variables', () => {
  const variables = { before: { version: '1', old: 'x' }, after: { version: '2' } };

  expect(listAttributeChanges({ type: 'variables_edited', variables })).toEqual([
    { name: 'version', before: '1', after: '2' },
    { name: 'old', before: 'x', after: undefined },
  ]);
});
