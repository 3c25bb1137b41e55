import type { WorkerOptions } from './local-runtime.ts';

export const OUTSIDE_WORKER = 'octavo-outside';

const SCRIPT = `
export default {
  fetch: (request, env) => env.NETWORK.fetch(request),
};
`;

/**
 * Returns a worker that sends the outgoing requests of all other workers on a local platform. Its network checks the
 * resolved address at connection time, so that neither names nor redirects can reach a private address.
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
