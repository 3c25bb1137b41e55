import type { Role } from '@octavo/schema';
import { ApiRequestError, api } from '../api.ts';

interface Invitation {
  email: string | undefined;
  role: Role | null;
}

interface InvitationResult {
  /** The number of people who were invited. */
  invited: number;
  /** The addresses of members who cannot be invited, because the organization requires single sign-on. */
  failed: string[];
}

/** Invites people to an organization by email. Each receives a link that signs in. */
export async function inviteMembers(path: string, emails: Invitation[]): Promise<InvitationResult> {
  const result = await api<{ invited: number; failedSSOEmails?: string[] }>('POST', `${path}/invites`, {
    body: { emails },
  });
  return { invited: result.invited, failed: result.failedSSOEmails ?? [] };
}

/** Returns the error that names the members who could not be invited. */
export const createInvitationError = (failed: string[]): ApiRequestError =>
  new ApiRequestError(
    0,
    `The organization requires single sign-on, which ${failed.join(', ')} ${failed.length === 1 ? 'does' : 'do'} not use yet.`,
  );
