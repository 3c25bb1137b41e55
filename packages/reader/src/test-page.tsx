import type { JsonObject } from '@octavo/specification';
import { renderToString } from 'preact-render-to-string';

/** What a page on which an operation is tried shows. */
interface TestPage {
  title: string;
  language: string;
  /** A specification with that operation alone. */
  document: JsonObject;
  /** Addresses of the files that it loads: what opens the client, and that itself. */
  client: string;
  opener: string;
  /** What is said where no scripts run. */
  needsScripts: string;
  /** What is said where a call gets no answer that the page may read. */
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

/** What stands in these is anybody's data, which is sent as it is. */
const holdingData = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/** Descriptions without tags that bear names: the client makes elements of them, whose names would hide what it calls. */
function withoutNames(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return key === 'description' ? value.replace(/<[^<>]*[\s/"'](?:id|name)\s*=[^<>]*>/gi, '') : value;
  if (typeof value !== 'object' || value === null || holdingData.has(key)) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => withoutNames(each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutNames(each, name)]));
}

/** The client draws an operation when it comes into view: what stands over it is short, and says nothing else. */
const maxTitle = 80;

/** Draws the page: it holds the specification as data, and runs nothing but files of ours. */
export function renderTestPage({ title, language, document, client, opener, ...texts }: TestPage): string {
  const info = { title: title.slice(0, maxTitle), version: '' };
  const configuration = JSON.stringify({ ...settings, content: { ...(withoutNames(document) as JsonObject), info } });
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
