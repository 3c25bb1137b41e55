import { createHash, createHmac, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { cellHeader, operatorPath, operatorPurpose, operatorSignatureHeader } from '@octavo/schema';
import { getSecretFile, readSecretFile } from './deploy-secrets.ts';
import { readDeploySettings } from './deploy-settings.ts';
import { type CallWorker, createOperator } from './operator.ts';
import { type CallOperator, getResult, type OperatorResponses } from './operator-client.ts';
import { PlatformError } from './platform-error.ts';

/** A platform on Cloudflare. */
export interface Deployment {
  /** The URL of the API. */
  url: string;
  /** The secret of the workers. */
  secret: string;
  /** The name of this installation as a cell behind a directory; '' or undefined if it has no directory. */
  cell?: string;
}

/** Reads the URL and the secret of a deployment from its files, or the secret from OCTAVO_SECRET. */
export async function readDeployment(
  file: string,
  environment: string | undefined,
  { OCTAVO_SECRET: secret }: NodeJS.ProcessEnv,
): Promise<Deployment> {
  const { api: url, prefix, cell } = await readDeploySettings(file, environment);
  const secretFile = getSecretFile(file, prefix);
  const storedSecret = secret || (await readSecretFile(secretFile)).secret;
  if (storedSecret) return { url, secret: storedSecret, cell };
  throw new PlatformError(
    `The secret of the workers is in neither ${secretFile} nor the environment variable OCTAVO_SECRET. Copy the file from the machine of the first deployment.`,
  );
}

/** Derives a text in the same way as `deriveTextFrom` in the workers. */
const derive = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(`octavo\n${purpose}`).digest('base64url');

/**
 * Returns the header of a call: its time, a random text, the hash of the body, and a signature of these and the path.
 */
export function signCall({ url, secret }: Deployment, path: string, body: string, time = Date.now()): string {
  const nonce = randomBytes(18).toString('base64url');
  const hash = createHash('sha256').update(body).digest('hex');
  const signature = derive(derive(secret, operatorPurpose), [time, nonce, new URL(url).host, path, hash].join('\n'));
  return `${time}.${nonce}.${hash}.${signature}`;
}

/** The calls that can be repeated, because they read, or write the same values again. */
const repeatable = /^\/(?:export\/(?:describe|rows|files|part)|import\/(?:clear|rows|file|file\/part))$/;
/** The waits before the repetitions of a call that failed, in milliseconds. */
const waits = [500, 2000, 8000];

interface ReceivedResponse {
  status: number;
  text: string;
}

/** Signs and sends a call. @throws PlatformError if no complete response is received */
async function sendSigned(
  deployment: Deployment,
  send: typeof fetch,
  { path, body }: { path: string; body: string },
): Promise<ReceivedResponse> {
  const { url, cell } = deployment;
  const headers = {
    'content-type': 'application/json',
    [operatorSignatureHeader]: signCall(deployment, path, body),
    ...(cell ? { [cellHeader]: cell } : {}),
  };
  try {
    const response = await send(`${url}${operatorPath}${path}`, { method: 'POST', headers, body, redirect: 'error' });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error;
    throw new PlatformError(`${url} could not be reached: ${cause instanceof Error ? cause.message : message}`);
  }
}

function parseResult(text: string): { error?: { message?: string } } {
  try {
    return JSON.parse(text);
  } catch {
    // Cloudflare reports its own errors as HTML.
    return {};
  }
}

interface Channel {
  send: typeof fetch;
  wait: (milliseconds: number) => Promise<unknown>;
}

/** Sends a call, and repeats it after errors of the network and the server. */
async function sendRepeatedly(
  sendCall: () => Promise<ReceivedResponse>,
  wait: Channel['wait'],
): Promise<ReceivedResponse> {
  for (const milliseconds of waits) {
    const response = await sendCall().catch(() => undefined);
    if (response !== undefined && response.status !== 429 && response.status < 500) return response;
    await wait(milliseconds);
  }
  return sendCall();
}

const createCall =
  (deployment: Deployment, { send, wait }: Channel): CallWorker =>
  async (path, parameters) => {
    const { url } = deployment;
    const body = JSON.stringify(parameters);
    const sendCall = () => sendSigned(deployment, send, { path, body });
    const { status, text } = await (repeatable.test(path) ? sendRepeatedly(sendCall, wait) : sendCall());
    const result = parseResult(text);
    if (status === 404 && /^(?:Path n|N)ot found\.$/.test(result.error?.message ?? ''))
      throw new PlatformError(
        `${url} did not accept the signature. Check that the secret is that of the platform, that the clock of this machine is right, and that the platform has this version.`,
      );
    return { status, body: result };
  };

/** Returns a function that calls the operator's worker of a platform on Cloudflare with signed requests. */
export function createRemoteOperator(
  deployment: Deployment,
  send: typeof fetch = fetch,
  wait: Channel['wait'] = setTimeout,
): CallOperator {
  const operator = createOperator({ call: createCall(deployment, { send, wait }), url: deployment.url });
  return async <Path extends keyof OperatorResponses>(path: Path, body: unknown = {}) => {
    const response = await operator.answer(path, body as Record<string, unknown>);
    return getResult(response.status, response.body) as OperatorResponses[Path];
  };
}
