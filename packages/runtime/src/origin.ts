import type { AuditOrigin } from '@octavo/schema';

/** The client's address as the gateway found it; it takes away what a client sends under this name. */
export const clientAddressHeader = 'octavo-client-address';
/** The id of the user that an answer is for, told to the gateway, which takes it away. */
export const callerHeader = 'octavo-caller';
const maxUserAgentLength = 256;
/** Control characters, such as those that steer a terminal, and halves of characters. */
const unprintable = /\p{C}/gu;

/** From where a request came; `token` is the id of the one that it was made with. */
export function originOf({ headers }: Pick<Request, 'headers'>, token?: string): AuditOrigin {
  const ip = headers.get(clientAddressHeader);
  const userAgent = headers.get('user-agent')?.slice(0, maxUserAgentLength).replace(unprintable, '');
  return { ...(ip ? { ip } : {}), ...(userAgent ? { userAgent } : {}), ...(token === undefined ? {} : { token }) };
}
