import type { MailEnvironment } from './mail.ts';

const daysKept = 30;
const nameOfMail = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{8}\.eml$/;

/** Deletes the mails of more than 30 days ago, as their names tell; files of other names are not ours. */
export async function deleteOldMails({ MAILBOX }: MailEnvironment): Promise<void> {
  const end = new Date(Date.now() - daysKept * 24 * 3_600_000).toISOString().replaceAll(':', '-');
  const entries = await (await MAILBOX.fetch('http://mailbox/')).json<{ name: string }[]>();
  for (const { name } of entries) {
    if (!nameOfMail.test(name) || name >= end) continue;
    const { ok, status } = await MAILBOX.fetch(`http://mailbox/${name}`, { method: 'DELETE' });
    if (!ok) throw new Error(`The mail ${name} could not be deleted: ${status}`);
  }
}
