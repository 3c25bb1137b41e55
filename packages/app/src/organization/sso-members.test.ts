import { expect, test } from 'vitest';
import { losesAccess } from './sso-members.ts';

const member = { role: 'edit', sso: false, disabled: false, user: { email: 'bea@example.test' } } as const;

test('members who do not use single sign-on lose access when it is required', () => {
  expect(losesAccess(member)).toBe(true);
  expect(losesAccess({ ...member, role: null })).toBe(true);
});

test('admins, members who use single sign-on, disabled members and service accounts do not lose access', () => {
  const others = [
    { ...member, role: 'admin' },
    { ...member, sso: true },
    { ...member, disabled: true },
    { ...member, user: { email: 'usr_a@service.invalid' } },
  ] as const;

  expect(others.filter(losesAccess)).toEqual([]);
});
