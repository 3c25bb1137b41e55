import { expect, test } from 'vitest';
import { formatConflict } from './import/report.ts';

test.each([
  ['deleted in the live content, changed in the change request', 'deleted in Octavo, changed in the folder'],
  ['changed in the live content, deleted in the change request', 'changed in Octavo, deleted in the folder'],
  [
    'deleted in the change request, but the live content has subpages',
    'deleted in the folder, but Octavo has subpages',
  ],
  ['changed on both sides in 2 location(s)', 'changed in Octavo and in the folder in 2 location(s)'],
  ['its parent was deleted', 'its parent was deleted'],
])('describes the conflict: %s', (message, words) => {
  const conflict = { kind: 'page', id: 'pg_1', field: 'node', message } as const;
  expect(formatConflict(conflict, 'folder')).toBe(words);
  expect(formatConflict({ ...conflict, path: 'docs/a.md', page: 'guide/a' }, 'folder')).toBe(
    `${words} (docs/a.md, in Octavo /guide/a)`,
  );
});
