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
  /** Sends mail. On the local platform, mail is written to a folder. */
  MAIL: { send(mail: Mail): Promise<unknown> };
  /** The sender address. */
  OCTAVO_MAIL_FROM: string;
  /** The token of the directory of several installations; undefined without one. */
  OCTAVO_DIRECTORY_KEY?: string;
}
