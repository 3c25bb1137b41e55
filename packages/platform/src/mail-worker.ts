import { randomUUID } from 'node:crypto';
import { mkdir, opendir, rm } from 'node:fs/promises';
import path from 'node:path';
import { answerWorker, type WorkerOptions } from './local-runtime.ts';
import { writeWhole } from './write-whole.ts';

export const MAIL_WORKER = 'octavo-mail';

/** When old mails are deleted; as a worker of the workspace has it in its configuration. */
export const mailCrons = { name: MAIL_WORKER, crons: ['53 3 * * *'] };
const daysKept = 30;

const SCRIPT = `
import { WorkerEntrypoint } from 'cloudflare:workers';
async function call(env, method, mail) {
  const answer = await env.FOLDER.fetch('http://mail/', { method, body: mail && JSON.stringify(mail) });
  if (!answer.ok) throw new Error('The folder of mails could not be changed: ' + (await answer.text()));
}
export class Mail extends WorkerEntrypoint {
  send(mail) {
    return call(this.env, 'POST', mail);
  }
}
export default { scheduled: (_, env) => call(env, 'DELETE') };
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

/** What the name of a mail begins with: names are in the order of time. */
const nameAt = (time: Date): string => time.toISOString().replaceAll(':', '-');
const nameOfMail = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{8}\.eml$/;

/** Writes a mail as a file that mail programs open, named so that the folder is in the order of sending. */
async function writeMail(dataDir: string, { from, to, subject, text }: Mail): Promise<void> {
  const now = new Date();
  const head = Object.entries({ Date: now.toUTCString(), From: from, To: to, Subject: subject });
  const lines = head.map(([name, value]) => `${name}: ${oneLine(value)}`);
  await mkdir(mailFolder(dataDir), { recursive: true, mode: 0o700 });
  const name = `${nameAt(now)}-${randomUUID().slice(0, 8)}.eml`;
  await writeWhole(path.join(mailFolder(dataDir), name), [...lines, ...TYPE_OF_TEXT, '', text, ''].join('\n'), 0o600);
}

/** Deletes the mails of more than 30 days ago, as their names tell; files of other names are not ours. */
async function deleteOldMails(dataDir: string): Promise<void> {
  const folder = mailFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const end = nameAt(new Date(Date.now() - daysKept * 24 * 3_600_000));
  for await (const { name } of await opendir(folder)) {
    if (nameOfMail.test(name) && name < end) await rm(path.join(folder, name), { force: true });
  }
}

/** A worker of the local platform only: it takes the mail that other workers send, and keeps it in the data folder. */
export function mailWorker(dataDir: string): WorkerOptions {
  return {
    name: MAIL_WORKER,
    compatibilityDate: '2026-08-01',
    modulesRoot: '/',
    modules: [{ type: 'ESModule', path: '/mail.mjs', contents: SCRIPT }],
    serviceBindings: {
      FOLDER: async (request: { method: string; json(): Promise<unknown> }) => {
        try {
          if (request.method === 'DELETE') await deleteOldMails(dataDir);
          else await writeMail(dataDir, (await request.json()) as Mail);
          return await answerWorker('done');
        } catch (error) {
          return answerWorker(String(error), 500);
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
