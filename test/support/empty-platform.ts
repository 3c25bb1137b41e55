import { writeDatabase } from './database.ts';
import { type OwnPlatform, startOwnPlatform } from './own-platform.ts';

/** Deletes all organizations, spaces and sites. */
export async function empty(server: OwnPlatform): Promise<void> {
  for (const table of ['spaces', 'sites', 'organizations']) await writeDatabase(server, `DELETE FROM ${table}`);
}

/** Starts a platform without organizations, into which an installation can be imported. */
export async function startEmptyPlatform(options: Parameters<typeof startOwnPlatform>[0]): Promise<OwnPlatform> {
  const server = await startOwnPlatform(options);
  await empty(server);
  return server;
}
