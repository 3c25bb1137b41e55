import { expect, test, vi } from 'vitest';
import type { BranchEdit } from '../engine/edit/edit-branch.ts';
import { countBytes, getHead, limitEdit } from './call-head.ts';

test('creates the object of a space in the region of the database', () => {
  const heads = { idFromName: (name: string) => `object of ${name}`, get: vi.fn() };

  getHead({ SPACE_HEAD: heads as never, OCTAVO_REGION: 'weur' }, 'space_1');
  getHead({ SPACE_HEAD: heads as never }, 'space_2');

  expect(heads.get.mock.calls).toEqual([
    ['object of space_1', { locationHint: 'weur' }],
    ['object of space_2', {}],
  ]);
});

/** Returns an edit with one change that writes the text `markdown`, and with rows that contain the text `read`. */
const createEdit = (markdown: string, read: string): BranchEdit =>
  ({
    changes: [
      {
        change: { operation: 'update_page', page: 'page', document: { markdown } },
        document: { stored: { markdown } },
      },
    ],
    rows: { texts: [{ markdown: read }] },
  }) as unknown as BranchEdit;

test('counts two bytes for each character of a text with characters outside of Latin-1', () => {
  expect(countBytes('é'.repeat(1000))).toBeLessThan(1020);
  expect(countBytes(`${'e'.repeat(999)}😀`)).toBeGreaterThan(2000);
  expect(countBytes({ list: ['x'.repeat(1000), 1, null] })).toBeGreaterThan(1000);
});

test('counts each text once, and accepts rows that are not too large', () => {
  const edit = createEdit('x'.repeat(1000), 'y'.repeat(500));

  expect(countBytes(limitEdit(edit, 2000))).toBeLessThan(1900);
  expect(limitEdit(edit, 2000)).toMatchObject({
    rows: edit.rows,
    changes: [{ document: { stored: { markdown: 'x'.repeat(1000) } } }],
  });
});

test('leaves out rows that are too large', () => {
  expect(limitEdit(createEdit('x'.repeat(1000), 'y'.repeat(1500)), 2000)).not.toHaveProperty('rows');
});

test('rejects changes that are too large, and explains how to send them', () => {
  expect(() => limitEdit(createEdit('ж'.repeat(1000), ''), 2000)).toThrow('Send them in several batches.');
});
