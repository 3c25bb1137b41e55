import { until } from '../../support/own-platform.ts';
import { platform, type Server } from '../../support/platform.ts';
import { readPdf, type SeenPdf } from '../pdf/read-pdf.ts';

/** Waits until a site's PDF is no longer being rendered, and returns the response. */
export const whenMade = (
  address: string,
  headers: Record<string, string> = {},
  server: Pick<Server, 'request'> = platform(),
): Promise<Response> =>
  until(async () => {
    const answer = await server.request(address, { headers });
    if (answer.status !== 202) return answer;
    await answer.arrayBuffer();
    return undefined;
  });

/** Reads a rendered PDF of a site as its visitor sees it. */
export async function printedAt(address: string, headers: Record<string, string> = {}): Promise<SeenPdf> {
  const answer = await whenMade(address, headers);
  if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}: ${await answer.text()}`);
  return readPdf(new Uint8Array(await answer.arrayBuffer()));
}
