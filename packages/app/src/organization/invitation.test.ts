import { expect, test } from 'vitest';
import { isInvited } from './invitation.ts';

const user = { email: 'bea@example.test' };

test('a member is invited until the member opens the organization', () => {
  expect(isInvited({ user, disabled: false })).toBe(true);
  expect(isInvited({ user, disabled: false, lastSeenAt: '2026-11-30T12:00:00.000Z' })).toBe(false);
});

test('disabled members and service accounts are not invited', () => {
  expect(isInvited({ user, disabled: true })).toBe(false);
  expect(isInvited({ user: { email: 'usr_a@service.invalid' }, disabled: false })).toBe(false);
});
