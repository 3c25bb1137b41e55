declare module 'samlp' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Options {
    issuer: string;
    cert: string;
    key: string;
    destination: string;
    recipient: string;
    getPostURL(
      audience: string,
      request: unknown,
      message: IncomingMessage,
      give: (error: null, url: string) => void,
    ): void;
    getUserFromRequest(request: IncomingMessage): object;
  }

  type Handler = (
    request: IncomingMessage & { query: Record<string, string> },
    response: ServerResponse & { set(name: string, value: string): void; send(body: string): void },
    next: (error: unknown) => void,
  ) => void;

  const samlp: { auth(options: Options): Handler };
  export default samlp;
}
