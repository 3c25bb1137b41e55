import { expect, test } from 'vitest';
import { createForbidden } from './find-object.ts';

test.each([
  [{ member: 'leave' }, 'the right admin on the organization'],
  [{ member: 'view' }, 'the right listMembers on the organization'],
  [{ space: 'merge' }, 'the right merge on the space'],
  [{ team: 'admin' }, 'the right admin on the team'],
  ['account', 'a token that is not bound to one organization'],
] as const)('without %j, the error names the required right: %s', (access, right) => {
  expect(createForbidden(access).message).toBe(`You are not allowed to do this. It requires ${right}.`);
});
