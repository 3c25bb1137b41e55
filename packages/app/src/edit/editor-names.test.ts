import { expect, test } from 'vitest';
import { describeEditor, nameEditors } from './editor-names.ts';

test('names other people, and the user in another tab', () => {
  const participants = ['usr_ada', 'usr_bob', 'usr_new'].map((user) => ({
    user,
    presence: { page: 'pg_a', block: 1 },
  }));
  const names = new Map([
    ['usr_ada', 'Ada'],
    ['usr_bob', 'Bob'],
  ]);
  const editors = nameEditors(participants, names, 'usr_ada');

  expect(editors.map(({ name }) => name)).toEqual(['You, in another tab', 'Bob', 'Another member']);
  expect(editors.map((editor) => describeEditor(editor, undefined))).toEqual([
    ...['You edit this page in another tab', 'Bob edits this page', 'Another member edits this page'],
  ]);
  expect(editors.map((editor) => describeEditor(editor, 'Guide')).slice(0, 2)).toEqual([
    ...['You edit Guide in another tab', 'Bob edits Guide'],
  ]);
});
