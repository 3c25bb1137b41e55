import http from 'node:http';

interface HostAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** Requests a URL from a server by sending its host in the Host header, without DNS. */
export const askedByHost = (
  server: string,
  address: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<HostAnswer> =>
  new Promise((resolve, reject) => {
    const { host, pathname, search } = new URL(address);
    const options = { method, path: `${pathname}${search}`, headers: { ...headers, host } };
    const request = http.request(server, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    request.on('error', reject);
    request.end();
  });
