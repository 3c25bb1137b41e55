import { createServer, type IncomingMessage } from 'node:http';
import { createTransport, type Transporter } from 'nodemailer';
import { getMailSocket } from './data-folder.ts';
import { listenOnSocket } from './listen-on-socket.ts';
import type { Log } from './log.ts';
import { PlatformError } from './platform-error.ts';

const BODY_LIMIT_BYTES = 1_000_000;
const PATIENCE_MS = 20_000;

interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
}

async function readMail(request: IncomingMessage): Promise<Mail> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > BODY_LIMIT_BYTES) throw new PlatformError('The mail is too long.');
  }
  return JSON.parse(text) as Mail;
}

/** Returns the host and port of an SMTP server, without its password. */
export const toDisplayHost = (smtpUrl: string): string => new URL(smtpUrl).host;

/** A failure is only logged, because the mail server may start later. Until then, mails wait and are retried. */
async function checkServer(transporter: Transporter, smtpUrl: string, log: Log): Promise<void> {
  await transporter.verify().catch((error: Error) => {
    const message = `The SMTP server ${toDisplayHost(smtpUrl)} cannot be used: ${error.message}`;
    log.write('error', `${message}. Mails are sent when it can be used again.`);
  });
}

interface MailServerOptions {
  dataDir: string;
  smtpUrl: string;
  log: Log;
}

/**
 * Sends the mails of the workers to an SMTP server. The workers pass their mails through a socket in the data folder,
 * so that only this process knows the password. Returns a function that stops the mail server.
 */
export async function startMailServer({ dataDir, smtpUrl, log }: MailServerOptions): Promise<() => Promise<void>> {
  const timeouts = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS };
  const transporter = createTransport({ url: smtpUrl, ...timeouts });
  const server = createServer(async (request, response) => {
    try {
      await transporter.sendMail(await readMail(request));
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(502).end(error instanceof Error ? error.message : String(error));
    }
  });
  const close = await listenOnSocket(server, getMailSocket(dataDir), 'Mails cannot be sent');
  void checkServer(transporter, smtpUrl, log);
  return async () => {
    close();
    transporter.close();
  };
}
