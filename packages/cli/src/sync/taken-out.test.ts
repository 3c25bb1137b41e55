import { expect, test } from 'vitest';
import { findRemovedFields } from './tree.ts';

const held = 'Text\n';
const fields = 'description: Said\nhidden: true\ncondition: visitor.claims.a\nnoIndex: true\nnoRobotsIndex: true\n';
const was = `---\n${fields}variables:\n  plan: pro\n---\n${held}`;

test('fields removed by a commit are reset, except those that hide the page from readers', () => {
  expect(findRemovedFields({ was, is: held, held })).toEqual({ description: '', variables: { plan: null } });
  expect(findRemovedFields({ was, is: was, held })).toEqual({});
});

test.each([
  was.replace('---\nText', 'Text'),
  `---\n<<<<<<< a\ntitle: A\n=======\ntitle: B\n>>>>>>> b\n---\n${held}`,
  `---\ntitle: a: b\nvariables:\n  plan: pro\n---\n${held}`,
  `---\nhidden: perhaps\n---\n${held}`,
])('an invalid frontmatter removes nothing: %j', (is) => {
  expect(findRemovedFields({ was, is, held })).toEqual({});
});
