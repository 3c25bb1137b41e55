import { expect, test } from 'vitest';
import { parseWarnedChanges } from './send-changes.ts';

test('reports warnings of a response by change and field', () => {
  const warnings = [
    { path: 'body.changes.1.document.markdown.frontmatter.hidden', message: 'must be true or false' },
    { path: 'body.revision', message: 'is of no change' },
  ];
  expect(parseWarnedChanges({ id: 'cr_a', warnings })).toEqual([
    { index: 1, message: 'frontmatter.hidden: must be true or false' },
  ]);
  expect(parseWarnedChanges({ id: 'cr_a' })).toEqual([]);
});
