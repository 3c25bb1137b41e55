/** HEAD is answered as GET is, by whatever answers that, and the body is dropped at the end. It has no ranges. */
export function asGet(request: Request): Request {
  if (request.method !== 'HEAD') return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  headers.delete('range');
  return new Request(request.url, { headers, redirect: 'manual' });
}

/** What HEAD answers, of what GET would. */
export async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
