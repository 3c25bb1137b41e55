import { WorkerEntrypoint } from 'cloudflare:workers';

export interface MailEnvironment {
  /** A folder on disk; a PUT replaces the whole file. It exists on one machine only. */
  MAILBOX?: Fetcher;
  /** Sends mails, if an SMTP server is configured. */
  SMTP?: Fetcher;
}

interface Message {
  from: string;
  to: string;
  subject: string;
  text: string;
}

const typeOfText = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'];

const toOneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

async function sendBySmtp(smtp: Fetcher, message: Message): Promise<void> {
  const response = await smtp.fetch('http://smtp/', { method: 'POST', body: JSON.stringify(message) });
  if (!response.ok) throw new Error(`The SMTP server did not accept the mail: ${await response.text()}`);
}

/**
 * Receives the mails of the workers. Sends them to the SMTP server, or stores them as files that mail programs can
 * open, named by time.
 */
export class Mail extends WorkerEntrypoint<MailEnvironment> {
  async send(message: Message): Promise<void> {
    if (this.env.SMTP !== undefined) return sendBySmtp(this.env.SMTP, message);
    const { from, to, subject, text } = message;
    const now = new Date();
    const head = Object.entries({ Date: now.toUTCString(), From: from, To: to, Subject: subject });
    const lines = head.map(([name, value]) => `${name}: ${toOneLine(value)}`);
    const name = `${now.toISOString().replaceAll(':', '-')}-${crypto.randomUUID().slice(0, 8)}.eml`;
    const body = [...lines, ...typeOfText, '', text, ''].join('\n');
    const { MAILBOX } = this.env;
    if (MAILBOX === undefined) throw new Error('Neither an SMTP server nor a folder for mails is configured.');
    const response = await MAILBOX.fetch(`http://mailbox/${name}`, { method: 'PUT', body });
    if (!response.ok) throw new Error(`The mail could not be written: ${response.status} ${await response.text()}`);
  }
}

const retentionDays = 30;
const nameOfMail = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{8}\.eml$/;

/** Deletes mails older than 30 days, by their names. Other files are left alone. */
export async function deleteOldMails({ MAILBOX }: MailEnvironment): Promise<void> {
  if (MAILBOX === undefined) return;
  const end = new Date(Date.now() - retentionDays * 24 * 3_600_000).toISOString().replaceAll(':', '-');
  const entries = await (await MAILBOX.fetch('http://mailbox/')).json<{ name: string }[]>();
  for (const { name } of entries) {
    if (!nameOfMail.test(name) || name >= end) continue;
    const { ok, status } = await MAILBOX.fetch(`http://mailbox/${name}`, { method: 'DELETE' });
    if (!ok) throw new Error(`The mail ${name} could not be deleted: ${status}`);
  }
}
