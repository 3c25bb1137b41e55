import type { JsonObject } from '@octavo/specification';
import { renderToString } from 'preact-render-to-string';

/** What a page on which an operation is tried shows. */
export interface TestPage {
  title: string;
  language: string;
  /** A specification with that operation alone. */
  document: JsonObject;
  /** Addresses of the files that it loads: what opens the client, and that itself. */
  client: string;
  opener: string;
  /** What is said where no scripts run. */
  needsScripts: string;
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

/** Draws the page: it holds the specification as data, and runs nothing but files of ours. */
export function renderTestPage({ title, language, document, client, opener, needsScripts }: TestPage): string {
  const configuration = JSON.stringify({ ...settings, content: document });
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
        <noscript>{needsScripts}</noscript>
        <main id="client" data-configuration={configuration} />
        <script src={opener} />
        <script src={client} />
      </body>
    </html>,
  );
  return `<!doctype html>\n${page}\n`;
}
