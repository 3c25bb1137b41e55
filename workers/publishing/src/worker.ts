import { consume, handleEachMessage, handleNextEvent, implement, readGatewayContext } from '@octavo/runtime';
import { EventMessage, publishing } from '@octavo/schema';
import { runCron } from './crons.ts';
import type { PublishingEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';
import { pdfPages } from './pdfs/pdfs.ts';
import { renderPdf } from './pdfs/render-pdf.ts';
import { appPages } from './reader/app-pages.ts';
import { serveSite } from './reader/serve-site.ts';
import { processOpenAPI } from './specs/process-openapi.ts';
import { specPages } from './specs/versions.ts';

export { Operator } from './operator/operator.ts';
export { PublishingService } from './service.ts';

const pages = [...pdfPages, ...specPages, ...appPages];
const endpoints = implement<typeof publishing, PublishingEnvironment>(publishing, handlers, pages);

export default {
  fetch(request, env, background) {
    const isOfSite = readGatewayContext(request).isOfSite === true;
    return isOfSite ? serveSite(request, env, background) : endpoints.fetch(request, env, background);
  },
  queue: (batch, env, background) =>
    consume(
      batch,
      EventMessage,
      handleEachMessage((message) =>
        handleNextEvent(env, message, {
          handlers: { render_pdf: renderPdf, process_openapi: processOpenAPI },
          createContext: (db) => ({ db, env, background }),
        }),
      ),
    ),
  scheduled: ({ cron }, env, background) => runCron(cron, env, background),
} satisfies ExportedHandler<PublishingEnvironment>;
