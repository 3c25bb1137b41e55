import http from 'node:http';

interface HostAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** Requests a URL from a server by sending its host in the Host header, without DNS. */
export const requestWithHost = (
  server: string,
  address: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<HostAnswer> =>
  new Promise((resolve, reject) => {
    const { host, pathname, search } = new URL(address);
    const options = { method, path: `${pathname}${search}`, headers: { ...headers, host } };
    const request = http.request(server, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on('error', reject);
    request.end();
  });
