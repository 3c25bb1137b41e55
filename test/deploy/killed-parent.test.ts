import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wranglerVariables } from '@octavo/platform';
import { expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder, root } from './deployments.ts';
import { accountId } from './fake-api.ts';

const program = `
  import { runWranglerCommand } from '${root}/packages/platform/src/build.ts';
  await runWranglerCommand(['queues', 'list']);
`;

/** Kills a process group. It may have ended already. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

test('wrangler ends when the command that started it is killed', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: createTemporaryFolder(),
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      ...wranglerVariables,
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'token',
      CLOUDFLARE_ACCOUNT_ID: accountId,
    },
  });
  onTestFinished(() => {
    killGroup(parent.pid);
    server.closeAllConnections();
    server.close();
  });

  // Wrangler waits for the response of this request, which never comes.
  const [{ socket }] = (await once(server, 'request')) as [IncomingMessage];
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(60_000) });
  parent.kill('SIGKILL');

  await expect(closed).resolves.toBeDefined();
});
