import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { WorkerOptions } from './manifest.ts';
import { writeWhole } from './write-whole.ts';

const MAIL_WORKER = 'octavo-mail';

const SCRIPT = `
import { WorkerEntrypoint } from 'cloudflare:workers';
export class Mail extends WorkerEntrypoint {
  async send(mail) {
    const answer = await this.env.WRITE.fetch('http://mail/', { method: 'POST', body: JSON.stringify(mail) });
    if (!answer.ok) throw new Error('The mail could not be written: ' + (await answer.text()));
  }
}
export default {};
`;

export const mailFolder = (dataDir: string) => path.join(dataDir, 'mail');

const TYPE_OF_TEXT = [
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
];

interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
}

const oneLine = (text: string) => text.replace(/[\r\n]+/g, ' ');

/** Writes a mail as a file that mail programs open, named so that the folder is in the order of sending. */
async function writeMail(dataDir: string, { from, to, subject, text }: Mail): Promise<void> {
  const now = new Date();
  const head = Object.entries({ Date: now.toUTCString(), From: from, To: to, Subject: subject });
  const lines = head.map(([name, value]) => `${name}: ${oneLine(value)}`);
  await mkdir(mailFolder(dataDir), { recursive: true, mode: 0o700 });
  const name = `${now.toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`;
  await writeWhole(path.join(mailFolder(dataDir), name), [...lines, ...TYPE_OF_TEXT, '', text, ''].join('\n'), 0o600);
}

/** A worker of the local platform only: it takes the mail that other workers send, and keeps it in the data folder. */
export function mailWorker(dataDir: string): WorkerOptions {
  return {
    name: MAIL_WORKER,
    compatibilityDate: '2026-08-01',
    modulesRoot: '/',
    modules: [{ type: 'ESModule', path: '/mail.mjs', contents: SCRIPT }],
    serviceBindings: {
      WRITE: async (request: { json(): Promise<unknown> }) => {
        const { Response } = await import('miniflare');
        try {
          await writeMail(dataDir, (await request.json()) as Mail);
          return new Response('written');
        } catch (error) {
          return new Response(String(error), { status: 500 });
        }
      },
    },
  };
}

/** The options of a worker whose bindings to send mail lead to the local mail worker. */
export function withLocalMail(options: WorkerOptions): WorkerOptions {
  const { email, ...rest } = options as WorkerOptions & { email?: { send_email?: { name: string }[] } };
  const names = (email?.send_email ?? []).map(({ name }) => name);
  const bindings = Object.fromEntries(names.map((name) => [name, { name: MAIL_WORKER, entrypoint: 'Mail' }]));
  return { ...rest, serviceBindings: { ...rest.serviceBindings, ...bindings } };
}
