import type { JsonObject } from '@octavo/specification';
import { renderToString } from 'preact-render-to-string';

/** Content of the page for testing an operation. */
interface TestPage {
  title: string;
  language: string;
  /** A specification with only that operation. */
  document: JsonObject;
  /** URLs of the script that opens the client and of the client itself. */
  client: string;
  opener: string;
  /** Message shown without scripts. */
  needsScripts: string;
  /** Error message when CORS hides the response from the page. */
  unreachable: string;
}

const settings = {
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideModels: true,
  hideSearch: true,
  showSidebar: false,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  persistAuth: false,
};

/** These keys hold arbitrary data, which must be sent unchanged. */
const dataKeys = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/**
 * Removes tags with name attributes from descriptions: the client renders them, and named elements would shadow DOM
 * properties that it uses (DOM clobbering).
 */
function removeNamedTags(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return key === 'description' ? value.replace(/<[^<>]*[\s/"'](?:id|name)\s*=[^<>]*>/gi, '') : value;
  if (typeof value !== 'object' || value === null || dataKeys.has(key)) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => removeNamedTags(each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, removeNamedTags(each, name)]));
}

/**
 * Maximum length of the title above the client. The client draws an operation only when it scrolls into view, so the
 * title must stay short.
 */
const maxTitle = 80;

/** Renders the page. The specification is embedded as data; the only scripts are the site's own files. */
export function renderTestPage({ title, language, document, client, opener, ...texts }: TestPage): string {
  const info = { title: title.slice(0, maxTitle), version: '' };
  const configuration = JSON.stringify({
    ...settings,
    content: { ...(removeNamedTags(document) as JsonObject), info },
  });
  const page = renderToString(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
      </head>
      <body>
        <noscript>{texts.needsScripts}</noscript>
        <main id="client" data-configuration={configuration} data-unreachable={texts.unreachable} />
        <script src={opener} />
        <script src={client} />
      </body>
    </html>,
  );
  return `<!doctype html>\n${page}\n`;
}
