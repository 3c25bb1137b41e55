import { chmod, rm } from 'node:fs/promises';
import { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import path from 'node:path';
import { PlatformError } from './platform-error.ts';

/**
 * Makes a server listen on a socket that only the owner of the data folder can open. Returns a function that closes it.
 */
export async function listenOnSocket(server: Server, socket: string, failure: string): Promise<() => void> {
  await rm(path.resolve(socket), { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new PlatformError(`${failure}: ${error.message}`)));
    server.listen(socket, resolve);
  });
  await chmod(socket, 0o600);
  return () => {
    server.close();
    if (server instanceof HttpServer) server.closeAllConnections();
  };
}
