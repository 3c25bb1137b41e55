import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { workerdBinary } from '@octavo/platform';
import type { Api } from '../api.ts';
import { type Child, freePort, startChild } from './child.ts';

const configOf = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "floor", worker = .floor)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "floor")],
);
const floor :Workerd.Worker = (
  modules = [(name = "floor", esModule = "export default { fetch: () => new Response('constant') };")],
  compatibilityDate = "2026-08-01",
);
`;

/** A worker that answers a constant, on the runtime that Octavo runs on and nothing else: what no server here can pass. */
export async function startFloor(folder: string): Promise<Child & { api: Api }> {
  const port = await freePort();
  const config = path.join(folder, 'floor.capnp');
  await writeFile(config, configOf(port));
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => (await fetch(url)).ok;
  const child = await startChild([workerdBinary(), 'serve', config], {}, isUp);
  return { ...child, api: { url, headers: {} } };
}
