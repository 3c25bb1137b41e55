import { buildContentPolicy } from '@octavo/schema';

/** The path of the Scalar script, which is part of the build. */
export const referenceScriptPath = '/reference/scalar.js';

const configuration = {
  url: '/openapi.json',
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
};

/** All sources are on the page's own origin. Scalar adds its styles to the page and runs no code but its script. */
export const referenceContentSecurityPolicy = buildContentPolicy({
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'font-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'worker-src': ["'self'", 'blob:'],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
});

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Returns the page of the API reference. Serve it with `referenceContentSecurityPolicy`. */
export const createReferencePage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Octavo API reference</title>
</head>
<body>
<noscript>This page needs JavaScript. The API is described in <a href="/openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${escapeAttribute(JSON.stringify(configuration))}"></script>
<script src="${referenceScriptPath}"></script>
</body>
</html>
`;
