const longestMilliseconds = 4000;
/** Answers to HEAD that say nothing of GET. */
const unknownToHead = new Set([400, 403, 404, 405, 501]);
/** What says of nobody that the page is gone: who asks is not let in, or asks too often. */
const inconclusive = new Set([401, 403, 407, 408, 425, 429, 451]);

/** Why an address leads nowhere; undefined where it may well lead somewhere. */
export async function tryAddress(address: string): Promise<string | undefined> {
  const head = await ask(address, 'HEAD');
  const status = typeof head === 'number' && unknownToHead.has(head) ? await ask(address, 'GET') : head;
  if (typeof status === 'string') return status;
  return status < 400 || inconclusive.has(status) || status >= 500 ? undefined : `it answers with ${status}`;
}

async function ask(address: string, method: 'HEAD' | 'GET'): Promise<number | string> {
  try {
    const response = await fetch(address, { method, signal: AbortSignal.timeout(longestMilliseconds) });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError'
      ? 'it does not answer in time'
      : 'it cannot be reached';
  }
}
