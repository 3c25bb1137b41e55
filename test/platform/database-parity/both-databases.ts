import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { getModule } from '../../support/transpiled.ts';

const files = [
  ...['collect-rows', 'database', 'row-cache', 'run-statement', 'turn'].map((name) => `workers/machine/src/${name}.ts`),
  ...['steps', 'batches', 'features', 'own', 'schema', 'statements', 'values'].map(
    (name) => `test/platform/database-parity/${name}.ts`,
  ),
];

const worker = `
import { DurableObject } from 'cloudflare:workers';
import { openDatabase } from './database.ts';
import { runSteps } from './steps.ts';
import { batches } from './batches.ts';
import { features } from './features.ts';
import { own } from './own.ts';
import { schema } from './schema.ts';
import { statements } from './statements.ts';
import { values } from './values.ts';
const themes = { batches, features, own, schema, statements, values };
const run = async (db, request) => {
  const { theme, name } = await request.json();
  return Response.json(await runSteps(db, themes[theme][name], theme !== 'schema'));
};
export class Machine extends DurableObject {
  #db = openDatabase(this.ctx.storage);
  fetch(request) {
    return run(this.#db, request);
  }
}
export class Bounded extends DurableObject {
  #slow = [];
  #db = openDatabase(this.ctx.storage, {
    maxRowsRead: 1000,
    slowMilliseconds: -1,
    onSlow: (statement) => this.#slow.push(statement),
  });
  fetch(request) {
    return request.url.endsWith('/slow') ? Response.json(this.#slow) : run(this.#db, request);
  }
}
export default {
  fetch(request, { DB, MACHINE, BOUNDED }) {
    const objects = { '/machine': MACHINE, '/bounded': BOUNDED, '/slow': BOUNDED };
    const { pathname } = new URL(request.url);
    return pathname === '/d1' ? run(DB, request) : objects[pathname].getByName('one').fetch(request);
  },
};
`;

/** Starts a worker with D1 as emulated by Miniflare and a Durable Object with the machine's database. */
export async function startBoth() {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      workers: [
        {
          name: 'parity',
          compatibilityDate: '2026-08-01',
          modulesRoot: '/',
          modules: [
            { type: 'ESModule', path: '/worker.js', contents: worker },
            ...(await Promise.all(files.map(getModule))),
          ],
          d1Databases: { DB: 'parity' },
          durableObjects: {
            MACHINE: { className: 'Machine', useSQLite: true },
            BOUNDED: { className: 'Bounded', useSQLite: true },
          },
        },
      ],
    }),
  );
  const requestBoth = async (what: 'd1' | 'machine' | 'bounded' | 'slow', theme = '', name = ''): Promise<unknown> => {
    const body = JSON.stringify({ theme, name });
    const response = await miniflare.dispatchFetch(`http://parity/${what}`, { method: 'POST', body });
    if (response.status !== 200) throw new Error(await response.text());
    return response.json();
  };
  return { ask: requestBoth, stop: () => miniflare.dispose() };
}
