import { expect, test } from 'vitest';
import { getWords } from './import/report.ts';

test.each([
  ['deleted in main, changed here', 'deleted in Octavo, changed in the folder'],
  ['changed in main, deleted here', 'changed in Octavo, deleted in the folder'],
  ['deleted here, but main has pages below it', 'deleted in the folder, but Octavo has pages below it'],
  ['2 place(s) changed on both sides', '2 place(s) changed in Octavo and in the folder'],
  ['its parent is gone', 'its parent is gone'],
])('%s', (message, words) => {
  const conflict = { kind: 'page', id: 'pg_1', field: 'node', message } as const;
  expect(getWords(conflict, 'folder')).toBe(words);
  expect(getWords({ ...conflict, path: 'docs/a.md', page: 'guide/a' }, 'folder')).toBe(
    `${words} (docs/a.md, in Octavo /guide/a)`,
  );
});
