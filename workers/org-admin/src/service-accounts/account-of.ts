import type { MemberRecord, OrganizationRecord } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { TokenOwner } from '../users/tokens-of.ts';

/** The service account that the path names, as the owner of its tokens. @throws ApiError not_found, for a person */
export function accountOf(
  { kind, user }: MemberRecord,
  organization: OrganizationRecord,
): TokenOwner & { organization: OrganizationId } {
  if (kind !== 'service') throw notFound('member');
  return { user: user.id, organization: organization.id };
}
