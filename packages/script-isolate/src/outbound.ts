import { findAddressFault } from '@octavo/runtime';

/** Settings for the outgoing requests of a script. */
interface OutboundSettings {
  /** The public URL of the platform, which scripts may always call. */
  publicUrl: string;
  /** Whether private addresses are allowed, as in tests. */
  allowsPrivate: boolean;
  /** The header that contains the client's address. It is replaced by an address derived from the tenant. */
  addressHeader?: string | undefined;
  /** The platform's rate limits count the scripts of a tenant together. */
  tenant?: string | undefined;
  /** Sends a request to the platform itself. */
  platform(request: Request): Promise<Response>;
}

const maxRequestBytes = 5_000_000;
const maxAnswerBytes = 10_000_000;

/** Headers in which proxies report the client's address. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip'];

const addressGroups = 3;

/** Returns a unique private address for a tenant, so that rate limits count its scripts as one client. */
async function createTenantAddress(tenant: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(tenant));
  const groups = [...new Uint16Array(digest, 0, addressGroups)].map((group) => group.toString(16));
  return `fd00:${groups.join(':')}::1`;
}

async function createHeaders(
  { headers }: Request,
  isPlatformRequest: boolean,
  { addressHeader, tenant = '' }: OutboundSettings,
) {
  const sent = new Headers(headers);
  for (const name of isPlatformRequest ? proxyHeaders : []) sent.delete(name);
  if (isPlatformRequest && addressHeader) sent.set(addressHeader, await createTenantAddress(tenant));
  return sent;
}

const limitBytes = (limit: number, whatIs: string): TransformStream<Uint8Array, Uint8Array> => {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > limit) controller.error(new Error(`${whatIs} is larger than ${limit} bytes.`));
      else controller.enqueue(chunk);
    },
  });
};

async function getBody(request: Request): Promise<ArrayBuffer | null> {
  if (request.body === null) return null;
  const body = request.body.pipeThrough(limitBytes(maxRequestBytes, 'The request of the script'));
  return new Response(body).arrayBuffer();
}

/**
 * Sends a request of a script to the platform or to a public HTTP address. The script has to follow redirects itself,
 * so that their targets are checked too.
 * @throws Error which the script receives
 */
export async function sendOutbound(request: Request, settings: OutboundSettings): Promise<Response> {
  const { url, method } = request;
  const isPlatformRequest = settings.publicUrl !== '' && new URL(url).origin === new URL(settings.publicUrl).origin;
  const fault = isPlatformRequest || settings.allowsPrivate ? undefined : findAddressFault(url);
  if (fault !== undefined) throw new Error(`A script cannot call ${new URL(url).origin}: the URL ${fault}.`);
  if (request.headers.has('upgrade')) throw new Error('A script cannot open a WebSocket.');
  const headers = await createHeaders(request, isPlatformRequest, settings);
  const sent = new Request(url, { method, headers, body: await getBody(request), redirect: 'manual' });
  const response = await (isPlatformRequest ? settings.platform(sent) : fetch(sent));
  const body = response.body?.pipeThrough(limitBytes(maxAnswerBytes, 'The response to the script')) ?? null;
  return new Response(body, response);
}
