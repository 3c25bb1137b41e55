import type { Urls } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import type { Mail } from '../environment.ts';

interface Invitation {
  to: string;
  /** Name of the inviting user; untrusted text, like the title of the organization. */
  inviter: string;
  organization: OrganizationId;
  /** The secret of a sign-in link, or the SSO providers that the member signs in through. */
  entry: { secret: string } | { providers: string[] };
}

export function writeInvitation({ to, inviter, organization, entry }: Invitation, urls: Urls): Omit<Mail, 'from'> {
  const invites = `${toPlainLine(inviter) || 'Someone'} invited you to "${toPlainLine(organization)}" on Octavo`;
  const signInLines =
    'secret' in entry ? describeLink(urls.page(`/sign-in/${entry.secret}`)) : describeSso(entry.providers, urls);
  return {
    to,
    subject: invites,
    text: [`${invites}.`, ...signInLines, 'If you did not expect this email, you can ignore it.'].join('\n\n'),
  };
}

const describeLink = (link: string): string[] => [
  'Open this link to sign in. It can be used once and expires in 7 days:',
  link,
];

function describeSso(providers: string[], urls: Urls): string[] {
  if (providers.length === 0) {
    return ['Your organization uses SSO, which is not set up yet. Contact the person who invited you.'];
  }
  const links = providers.map((id) => urls.page(`/sso/saml/${id}/start`));
  return ['Sign in through the SSO of your organization:', links.join('\n')];
}

const maxLength = 80;

/**
 * Makes user input safe within a line of a mail: bounds its length, removes characters that break lines or change the
 * writing direction, and breaks URLs so that mail programs do not link them.
 */
export function toPlainLine(typed: string): string {
  const line = typed
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/:\s*[/\\]+/g, ': ')
    .replace(/[.。](?=\p{L})/gu, '·')
    .trim();
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trim()}…`;
}
