import { writeDatabase } from './database.ts';
import { type OwnPlatform, ownPlatform } from './own-platform.ts';

/** Deletes all organizations, spaces and sites. */
export async function empty(server: OwnPlatform): Promise<void> {
  for (const table of ['spaces', 'sites', 'organizations']) await writeDatabase(server, `DELETE FROM ${table}`);
}

/** Starts a platform without organizations, into which an installation can be imported. */
export async function emptyPlatform(options: Parameters<typeof ownPlatform>[0]): Promise<OwnPlatform> {
  const server = await ownPlatform(options);
  await empty(server);
  return server;
}
