import type { Environment } from '@octavo/runtime';
import type { ContentService } from '@octavo/schema';

/** A mail in plain text. */
export interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
}

export interface OrgAdminEnvironment extends Environment {
  CONTENT: ContentService;
  /** Sends mail; on the local platform it writes what would be sent into a folder. */
  MAIL: { send(mail: Mail): Promise<unknown> };
  /** The address that mail comes from. */
  OCTAVO_MAIL_FROM: string;
}
