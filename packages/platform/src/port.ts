import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { errorCode, PlatformError } from './platform-error.ts';
import { portHolder, processName } from './process-info.ts';

async function describeHolder(port: number): Promise<string> {
  const pid = await portHolder(port);
  if (pid === undefined) return 'is in use by another process; stop that process';
  const name = await processName(pid);
  if (name !== 'workerd') return `is in use by process ${pid} (${name ?? 'unknown'}); stop that process`;
  return `is in use by process ${pid} (workerd, the runtime of an Octavo); stop that Octavo (an orphan of a killed one ends with kill -9 ${pid})`;
}

/** Checks that a port can be listened on and gives it; 0 stands for any free one. */
export async function claimPort(port: number, host: string): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const next = port < 65535 ? port + 1 : port - 1;
    if (errorCode(error) === 'EADDRINUSE')
      throw new PlatformError(
        `Port ${port} ${await describeHolder(port)}, or choose another port: PORT=${next} npm start`,
      );
    if (errorCode(error) === 'EACCES')
      throw new PlatformError(
        `Port ${port} may not be opened by this user; choose one above 1023: PORT=8787 npm start`,
      );
    throw new PlatformError(`Port ${port} cannot be opened on ${host} (${errorCode(error) ?? error}).`);
  } finally {
    server.close();
  }
}
