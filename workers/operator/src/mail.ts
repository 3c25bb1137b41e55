import { WorkerEntrypoint } from 'cloudflare:workers';

export interface MailEnvironment {
  /** A folder of the machine: a PUT of a name writes the file as a whole. */
  MAILBOX: Fetcher;
}

interface Message {
  from: string;
  to: string;
  subject: string;
  text: string;
}

const typeOfText = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'];

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

/** Takes the mail that the workers send, and keeps it as files that mail programs open, named in the order of sending. */
export class Mail extends WorkerEntrypoint<MailEnvironment> {
  async send({ from, to, subject, text }: Message): Promise<void> {
    const now = new Date();
    const head = Object.entries({ Date: now.toUTCString(), From: from, To: to, Subject: subject });
    const lines = head.map(([name, value]) => `${name}: ${oneLine(value)}`);
    const name = `${now.toISOString().replaceAll(':', '-')}-${crypto.randomUUID().slice(0, 8)}.eml`;
    const body = [...lines, ...typeOfText, '', text, ''].join('\n');
    const answer = await this.env.MAILBOX.fetch(`http://mailbox/${name}`, { method: 'PUT', body });
    if (!answer.ok) throw new Error(`The mail could not be written: ${answer.status} ${await answer.text()}`);
  }
}
