import type { EventMessage } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';

export async function sendRequestedMail(message: EventMessage, env: OrgAdminEnvironment): Promise<void> {
  await env.MAIL.send({ from: env.OCTAVO_MAIL_FROM, to: message.id, subject: '', text: '' });
}
