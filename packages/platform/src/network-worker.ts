import type { WorkerOptions } from './local-runtime.ts';

export const OUTSIDE_WORKER = 'octavo-outside';

const SCRIPT = `
export default {
  fetch: (request, env) => env.NETWORK.fetch(request),
};
`;

/**
 * A worker of the local platform only, which all that the others fetch goes through: its network checks the address that
 * a name leads to at the moment of connecting, so that no name and no redirect leads to a private one.
 */
export function createNetworkWorker(allowsPrivate: boolean): WorkerOptions {
  const allow = allowsPrivate ? ['public', 'private'] : ['public'];
  return {
    name: OUTSIDE_WORKER,
    compatibilityDate: '2026-08-01',
    modulesRoot: '/',
    modules: [{ type: 'ESModule', path: '/outside.mjs', contents: SCRIPT }],
    serviceBindings: { NETWORK: { network: { allow, tlsOptions: { trustBrowserCas: true } } } },
  };
}
