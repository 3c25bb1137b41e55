import { WorkerEntrypoint } from 'cloudflare:workers';

export interface MailEnvironment {
  /** A folder on disk; a PUT replaces the whole file. */
  MAILBOX: Fetcher;
}

interface Message {
  from: string;
  to: string;
  subject: string;
  text: string;
}

const typeOfText = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'];

const toOneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

/** Receives the mails of the workers and stores them as files that mail programs can open, named by time. */
export class Mail extends WorkerEntrypoint<MailEnvironment> {
  async send({ from, to, subject, text }: Message): Promise<void> {
    const now = new Date();
    const head = Object.entries({ Date: now.toUTCString(), From: from, To: to, Subject: subject });
    const lines = head.map(([name, value]) => `${name}: ${toOneLine(value)}`);
    const name = `${now.toISOString().replaceAll(':', '-')}-${crypto.randomUUID().slice(0, 8)}.eml`;
    const body = [...lines, ...typeOfText, '', text, ''].join('\n');
    const answer = await this.env.MAILBOX.fetch(`http://mailbox/${name}`, { method: 'PUT', body });
    if (!answer.ok) throw new Error(`The mail could not be written: ${answer.status} ${await answer.text()}`);
  }
}

const retentionDays = 30;
const nameOfMail = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{8}\.eml$/;

/** Deletes mails older than 30 days, by their names. Other files are left alone. */
export async function deleteOldMails({ MAILBOX }: MailEnvironment): Promise<void> {
  const end = new Date(Date.now() - retentionDays * 24 * 3_600_000).toISOString().replaceAll(':', '-');
  const entries = await (await MAILBOX.fetch('http://mailbox/')).json<{ name: string }[]>();
  for (const { name } of entries) {
    if (!nameOfMail.test(name) || name >= end) continue;
    const { ok, status } = await MAILBOX.fetch(`http://mailbox/${name}`, { method: 'DELETE' });
    if (!ok) throw new Error(`The mail ${name} could not be deleted: ${status}`);
  }
}
