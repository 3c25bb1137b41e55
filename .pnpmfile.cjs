/*
 * Only the self-contained browser bundles of Scalar and Mermaid are used; their dependencies are inside. Miniflare wants
 * sharp for the Images binding, pdfjs-dist a canvas to draw on and vite lightningcss for styles: nothing here does that.
 * Of the SDK of MCP neither the servers for Node.js nor programs as peers are used. Of some only the documentation that
 * they bring along is read.
 */
const dropped = {
  '@scalar/api-reference': () => true,
  '@gitbook/cli': (name) => name !== 'esbuild' && name !== 'miniflare',
  mermaid: () => true,
  miniflare: (name) => name === 'sharp',
  'pdfjs-dist': (name) => name === '@napi-rs/canvas',
  vite: (name) => name === 'lightningcss',
  '@modelcontextprotocol/sdk': (name) =>
    !/^(?:ajv|ajv-formats|content-type|eventsource-parser|pkce-challenge|zod|zod-to-json-schema)$/.test(name),
  'create-docusaurus': () => true,
  fastify: () => true,
  gitbook: () => true,
  pino: () => true,
};

const without = (packages = {}, isDropped) =>
  Object.fromEntries(Object.entries(packages).filter(([name]) => !isDropped(name)));

module.exports = {
  hooks: {
    readPackage(pkg) {
      const isDropped = dropped[pkg.name];
      if (!isDropped) return pkg;
      const [dependencies, optionalDependencies] = [pkg.dependencies, pkg.optionalDependencies];
      return {
        ...pkg,
        dependencies: without(dependencies, isDropped),
        optionalDependencies: without(optionalDependencies, isDropped),
      };
    },
  },
};
