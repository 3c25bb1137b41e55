import { requestIdHeader } from '@octavo/runtime';
import { setClientAddress } from './client-address.ts';

interface Told {
  requestId: string;
  /** The client's address, where it is known. */
  address: string | undefined;
}

/** Has a worker answer. The headers of a request and of an answer from elsewhere stay as they came: both are copied once. */
export async function forward(request: Request, worker: Fetcher, { requestId, address }: Told): Promise<Response> {
  const sent = new Request(request);
  sent.headers.set(requestIdHeader, requestId);
  setClientAddress(sent.headers, address);
  const response = await worker.fetch(sent);
  return new Response(response.body, response);
}
