import { createHash, createHmac, randomBytes } from 'node:crypto';
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
  { OCTAVO_SECRET: body }: NodeJS.ProcessEnv,
): Promise<Deployment> {
  const { api: url, prefix, cell } = await readDeploySettings(file, environment);
  const secretFile = getSecretFile(file, prefix);
  const secret = body || (await readSecretFile(secretFile)).secret;
  if (secret) return { url, secret, cell };
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

const createCall =
  (deployment: Deployment, send: typeof fetch): CallWorker =>
  async (path, parameters) => {
    const { url, cell } = deployment;
    const body = JSON.stringify(parameters);
    const headers = {
      'content-type': 'application/json',
      [operatorSignatureHeader]: signCall(deployment, path, body),
      ...(cell ? { [cellHeader]: cell } : {}),
    };
    const init: RequestInit = { method: 'POST', headers, body, redirect: 'error' };
    const response = await send(`${url}${operatorPath}${path}`, init).catch((error: unknown) => {
      const { message, cause } = error as Error;
      throw new PlatformError(`${url} could not be reached: ${cause instanceof Error ? cause.message : message}`);
    });
    const result = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
    if (response.status === 404 && /^(?:Path n|N)ot found\.$/.test(result.error?.message ?? ''))
      throw new PlatformError(
        `${url} did not accept the signature. Check that the secret is that of the platform, that the clock of this machine is right, and that the platform has this version.`,
      );
    return { status: response.status, body: result };
  };

/** Returns a function that calls the operator's worker of a platform on Cloudflare with signed requests. */
export function createRemoteOperator(deployment: Deployment, send: typeof fetch = fetch): CallOperator {
  const operator = createOperator({ call: createCall(deployment, send), url: deployment.url });
  return async <Path extends keyof OperatorResponses>(path: Path, body: unknown = {}) => {
    const response = await operator.answer(path, body as Record<string, unknown>);
    return getResult(response.status, response.body) as OperatorResponses[Path];
  };
}
