import { until } from '../../support/own-platform.ts';
import { platform, type Server } from '../../support/platform.ts';
import { readPdf, type SeenPdf } from '../pdf/read-pdf.ts';

/** Waits until a site's PDF is no longer being rendered, and returns the response. */
export const waitForPdf = (
  address: string,
  headers: Record<string, string> = {},
  server: Pick<Server, 'request'> = platform(),
): Promise<Response> =>
  until(async () => {
    const response = await server.request(address, { headers });
    if (response.status !== 202) return response;
    await response.arrayBuffer();
    return undefined;
  });

/** Reads a rendered PDF of a site as its visitor sees it. */
export async function readRenderedPdf(address: string, headers: Record<string, string> = {}): Promise<SeenPdf> {
  const response = await waitForPdf(address, headers);
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return readPdf(new Uint8Array(await response.arrayBuffer()));
}
