import { expect, test } from 'vitest';
import { findRemovedFields } from './tree.ts';

const held = 'Text\n';
const fields = 'description: Said\nhidden: true\ncondition: visitor.claims.a\nnoIndex: true\nnoRobotsIndex: true\n';
const former = `---\n${fields}variables:\n  plan: pro\n---\n${held}`;

test('fields removed by a commit are reset, except those that hide the page from readers', () => {
  expect(findRemovedFields({ former, current: held, held })).toEqual({
    description: '',
    variables: { plan: null },
  });
  expect(findRemovedFields({ former, current: former, held })).toEqual({});
});

test.each([
  former.replace('---\nText', 'Text'),
  `---\n<<<<<<< a\ntitle: A\n=======\ntitle: B\n>>>>>>> b\n---\n${held}`,
  `---\ntitle: a: b\nvariables:\n  plan: pro\n---\n${held}`,
  `---\nhidden: perhaps\n---\n${held}`,
])('invalid frontmatter does not count as the removal of fields: %j', (current) => {
  expect(findRemovedFields({ former, current, held })).toEqual({});
});
