import { consume, handleEvent, oneByOne, servePages, toldOf } from '@octavo/runtime';
import { EventMessage } from '@octavo/schema';
import { runCron } from './crons.ts';
import { endpoints } from './endpoints.ts';
import type { PublishingEnvironment } from './environment.ts';
import { pdfPages } from './pdfs/pdf-pages.ts';
import { renderPdf } from './pdfs/render-pdf.ts';
import { appPages } from './reader/app-pages.ts';
import { serveSite } from './reader/serve-site.ts';
import { processOpenAPI } from './specs/process-openapi.ts';
import { specPages } from './specs/versions.ts';

export { Operator } from './operator/operator.ts';
export { PublishingService } from './service.ts';

const pages = servePages<PublishingEnvironment>([...pdfPages, ...specPages, ...appPages]);

export default {
  fetch(request, env, background) {
    if (toldOf(request).isOfSite === true) return serveSite(request, env, background);
    const url = new URL(request.url);
    const isApi = /^\/v1(?:\/|$)/.test(url.pathname);
    return isApi ? endpoints.fetch(request, env, background, url) : pages(request, env, background);
  },
  queue: (batch, env, background) =>
    consume(
      batch,
      EventMessage,
      oneByOne((message) =>
        handleEvent(env, message, {
          handlers: { render_pdf: renderPdf, process_openapi: processOpenAPI },
          contextOf: (db) => ({ db, env, background }),
        }),
      ),
    ),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<PublishingEnvironment>;
